/** Port: the state of each resource's scans. */

import type { ScanState } from '../model/scan.ts';
import type { Instant } from '../model/time.ts';

export interface ScanStateStore {
  get(source: string, resource: string): Promise<ScanState | undefined>;
  /**
   * Saves a state if the stored version is exactly one less; version 1 requires that none is stored. Returns false and
   * writes nothing on a conflict, so a poller that lost its lease cannot overwrite the state of its successor.
   */
  save(state: ScanState): Promise<boolean>;
  /** Asks the poller of a source to scan soon: once, after this instant. */
  requestScan(source: string, at: Instant): Promise<void>;
  /** The last such request; undefined when there was none. */
  requestedScanAt(source: string): Promise<Instant | undefined>;
}
