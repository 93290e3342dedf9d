/** Port: the state of each resource's scans. */

import type { ScanState } from '../model/scan.ts';
import type { Instant } from '../model/time.ts';

/** All that is stored about the scans of a source. */
interface SourceScans {
  /** By the name of the resource. */
  readonly states: ReadonlyMap<string, ScanState>;
  /** When a person last asked for a scan, see `requestScan`. @default - nobody did */
  readonly requestedAt?: Instant;
}

export interface ScanStateStore {
  get(source: string, resource: string): Promise<ScanState | undefined>;
  /**
   * Saves a state if the stored version is exactly one less; version 1 requires that none is stored. Returns false and
   * writes nothing on a conflict, so a poller that lost its lease cannot overwrite the state of its successor.
   */
  save(state: ScanState): Promise<boolean>;
  /** Asks the poller of a source to scan soon: once, after this instant. */
  requestScan(source: string, at: Instant): Promise<void>;
  /**
   * Reads all states of a source together.
   * @param consistent whether every completed write must be seen. It costs twice as much, so a first look goes without
   */
  ofSource(source: string, consistent: boolean): Promise<SourceScans>;
}
