/** Port: what polling has stored for a source, to count and to delete it. Without events, deliveries and the account. */

export interface SourceData {
  /** Number of stored records by resource, those of deleted records included. */
  readonly records: Readonly<Record<string, number>>;
  /** The highest version of a record; 0 without records. */
  readonly highestVersion: number;
}

export interface SourceDataStore {
  describe(source: string): Promise<SourceData>;
  /**
   * Deletes the snapshots with their pending moments and transitions, the manifests and the scan states. May be called again
   * after it was interrupted.
   */
  forget(source: string): Promise<void>;
}
