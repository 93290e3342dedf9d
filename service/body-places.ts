/**
 * The places of request bodies: how many are read at a time, and how many bytes they take until their requests are answered. Others wait
 * in their order. Anyone can send a body slowly: one that has had its time gives way to those that wait, unless more of it
 * has arrived than is read.
 */

/** A body that arrived while it waited needs a few turns of the event loop. */
const MIN_READING_MS = 500;

/** Hundreds of bodies that arrive at once take less. */
const MAX_WAITING_MS = 5_000;

const CHECK_MS = 50;

export interface BodyPlacesOptions {
  /** Bodies that are read at a time. */
  readonly maxReading: number;
  /** Of those that are read, and those whose requests wait for an answer. */
  readonly maxBytes: number;
}

export interface BodyPlace {
  /** Whether all that had arrived is read. */
  isWaiting: boolean;
  /** Called when it has to give way. Its place is free already. */
  onGiveWay: () => void;
  /** It is read to its end, and keeps so many bytes. */
  endReading(bytes: number): void;
  /** The request is answered, or its body is not kept. */
  free(): void;
}

export interface BodyPlaces {
  /** Undefined if there was none for seconds, or the caller has left. */
  take(bytes: number, hasLeft: () => boolean): Promise<BodyPlace | undefined>;
}

interface Waiting {
  readonly since: number;
  readonly bytes: number;
  readonly hasLeft: () => boolean;
  readonly resolve: (place: BodyPlace | undefined) => void;
}

export function createBodyPlaces({ maxReading, maxBytes }: BodyPlacesOptions): BodyPlaces {
  /** Since when each is read, the oldest first. */
  const reading = new Map<BodyPlace, number>();
  const waiting = new Set<Waiting>();
  let takenBytes = 0;
  let checking: NodeJS.Timeout | undefined;

  const hasRoom = (bytes: number) => reading.size < maxReading && takenBytes + bytes <= maxBytes;

  const open = (expectedBytes: number): BodyPlace => {
    let bytes = 0;
    const keep = (kept: number) => {
      takenBytes += kept - bytes;
      bytes = kept;
    };
    keep(expectedBytes);
    const place: BodyPlace = {
      isWaiting: false,
      onGiveWay: () => {},
      endReading(read) {
        reading.delete(place);
        keep(read);
        admit();
      },
      free() {
        reading.delete(place);
        keep(0);
        admit();
      },
    };
    reading.set(place, performance.now());
    return place;
  };

  const endSlow = (): boolean => {
    const latest = performance.now() - MIN_READING_MS;
    for (const [place, since] of reading) {
      if (since > latest) return false;
      if (!place.isWaiting) continue;
      place.free();
      place.onGiveWay();
      return true;
    }
    return false;
  };

  let isAdmitting = false;
  const admit = () => {
    if (isAdmitting || waiting.size === 0) return;
    isAdmitting = true;
    const latest = performance.now() - MAX_WAITING_MS;
    let maySlowEnd = true;
    for (const one of waiting) {
      const isOver = one.since <= latest || one.hasLeft();
      // Small bodies find room where a large one does not.
      while (!isOver && !hasRoom(one.bytes) && maySlowEnd) maySlowEnd = endSlow();
      if (!isOver && !hasRoom(one.bytes)) continue;
      waiting.delete(one);
      one.resolve(isOver ? undefined : open(one.bytes));
    }
    isAdmitting = false;
    if (waiting.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  };

  return {
    take(bytes, hasLeft) {
      if (waiting.size === 0 && hasRoom(bytes)) return Promise.resolve(open(bytes));
      const { promise, resolve } = Promise.withResolvers<BodyPlace | undefined>();
      waiting.add({ since: performance.now(), bytes, hasLeft, resolve });
      checking ??= setInterval(admit, CHECK_MS).unref();
      admit();
      return promise;
    },
  };
}
