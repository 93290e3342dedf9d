/** The API clients of the sources in effect: one for each, kept while the settings of its source stay the same. */

import type { SourceConfig } from '../config/config.ts';
import { type PackedSource, packSource } from '../config/packed.ts';
import type { OpenedSourceApi } from '../open-source-api.ts';

interface SourceApis {
  /** The clients by name. Closes those of sources that were changed or removed, once their requests in flight have ended. */
  openAll(
    sources: readonly SourceConfig[],
    open: (source: SourceConfig) => OpenedSourceApi,
  ): ReadonlyMap<string, OpenedSourceApi>;
}

export function createSourceApis(): SourceApis {
  let opened: ReadonlyMap<string, { readonly packed: string; readonly api: OpenedSourceApi }> = new Map();
  return {
    openAll(sources, open) {
      const next = new Map(
        sources.map((source) => {
          const packed = JSON.stringify(packSource(source) satisfies PackedSource);
          const before = opened.get(source.name);
          return [source.name, before?.packed === packed ? before : { packed, api: open(source) }] as const;
        }),
      );
      for (const [name, { api }] of opened) if (next.get(name)?.api !== api) void api.close().catch(() => {});
      opened = next;
      return new Map([...next].map(([name, { api }]) => [name, api]));
    },
  };
}
