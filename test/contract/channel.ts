/**
 * What every Channel promises, whatever its receiver. An adapter's test opens one on a real server that can be configured how
 * to treat what comes, and runs this. Knows the words of no protocol.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { GiveUp, RetryLater, type TidingsError } from '../../core/model/errors.ts';
import type { Channel, OutboundMessage, Receipt } from '../../core/ports/channel.ts';

/**
 * `accept`: takes it; `refuseForNow`: a trouble of its own; `refuseForGood`: never like this; `gone`: wants nothing more,
 * ever; `slowDown`: not before so many seconds; `hang`: takes it and says nothing; `cut`: hangs up in the middle;
 * `drip`: starts to answer, a byte at a time, without end; `babble`: takes it and answers 100 KB or more; `echo`: refuses
 * for now, and repeats all it was sent, credentials included.
 */
export type Treatment =
  | 'accept'
  | 'refuseForNow'
  | 'refuseForGood'
  | 'gone'
  | 'hang'
  | 'cut'
  | 'drip'
  | 'babble'
  | 'echo'
  | { readonly slowDown: number };

interface TestReceiver {
  /** How requests are treated from now on. @default accept */
  treat(treatment: Treatment): void;
  /**
   * What came so far, each as one text, whether or not it was taken. Without what differs between two equal messages by
   * nature, such as the boundary of a mail.
   */
  arrived(): readonly string[];
}

export interface OpenChannel {
  readonly channel: Channel;
  readonly receiver: TestReceiver;
  /** A message for the channel. */
  readonly message: OutboundMessage;
  /** Every secret of the channel, in each form that is sent. None of them may appear in errors or receipts. */
  readonly secrets: readonly string[];
  readonly close: () => Promise<void>;
}

type TreatmentName = Extract<Treatment, string> | 'slowDown';

export interface ChannelContractOptions {
  /** Treatments that such receivers do not support. @default - they support all */
  readonly without?: readonly TreatmentName[];
}

/** The timeout of the channel: longer than a busy machine needs for any response. */
const PATIENCE_MS = 30_000;

/** The timeout of the channel in tests that wait for it. */
const SHORT_PATIENCE_MS = 1000;

/** The maximum time for a channel to end: less than its usual timeout. */
const AT_MOST_MS = 20_000;

const KEPT_BYTES = 4096;

export function channelContract(
  name: string,
  open: (options: { readonly patience: number }) => Promise<OpenChannel>,
  { without = [] }: ChannelContractOptions = {},
): void {
  describe(`Channel: ${name}`, () => {
    let opened: OpenChannel;
    afterEach(async () => opened.close());

    const send = (signal?: AbortSignal) => opened.channel.send(opened.message, signal);

    /** A test of one treatment, for receivers that support it. */
    const promise = (
      treatment: TreatmentName,
      text: string,
      test: () => Promise<void>,
      patience = PATIENCE_MS,
    ): void => {
      if (without.includes(treatment)) return;
      it(text, async () => {
        opened = await open({ patience });
        await test();
      });
    };

    promise('accept', 'resolves with a receipt when the receiver takes it', async () => {
      const receipt = await send();
      expect(receipt.status).toBeTypeOf('number');
      expect(opened.receiver.arrived()).toHaveLength(1);
    });

    promise('accept', 'sends the same request for the same message', async () => {
      await send();
      await send();
      const [first, second] = opened.receiver.arrived();
      expect(first).toBeTruthy();
      expect(second).toBe(first);
    });

    promise('refuseForNow', 'throws RetryLater with the response when the receiver fails', async () => {
      opened.receiver.treat('refuseForNow');
      const error = await failure(send());
      expect(error).toBeInstanceOf(RetryLater);
      expect(error.evidence.status).toBeTypeOf('number');
      expect(error.message).not.toBe('');
    });

    promise('refuseForNow', 'works again as soon as the receiver does', async () => {
      opened.receiver.treat('refuseForNow');
      await failure(send());
      opened.receiver.treat('accept');
      await send();
    });

    promise('refuseForGood', 'gives up when the receiver will never take it', async () => {
      opened.receiver.treat('refuseForGood');
      const error = await failure(send());
      expect(error).toBeInstanceOf(GiveUp);
      expect(error).toMatchObject({ gone: false });
    });

    promise('gone', 'gives up for all that is to come when the receiver is gone', async () => {
      opened.receiver.treat('gone');
      const error = await failure(send());
      expect(error).toBeInstanceOf(GiveUp);
      expect(error).toMatchObject({ gone: true });
    });

    promise('slowDown', 'passes on how long the receiver wants to be left alone', async () => {
      opened.receiver.treat({ slowDown: 90 });
      const error = await failure(send());
      expect(error).toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ after: 90_000 });
    });

    const waitsNoLonger = async () => {
      opened.receiver.treat('hang');
      const error = await inTime(failure(send()));
      expect(error).toBeInstanceOf(RetryLater);
      expect(opened.receiver.arrived()).toHaveLength(1);
    };
    promise('hang', 'waits no longer than its patience', waitsNoLonger, SHORT_PATIENCE_MS);

    const isNotHeldUp = async () => {
      opened.receiver.treat('drip');
      await inTime(send().catch((error: unknown) => expect(error).toBeInstanceOf(RetryLater)));
    };
    promise('drip', 'is not held up by an answer without end', isNotHeldUp, SHORT_PATIENCE_MS);

    promise('cut', 'asks for another try when the receiver hangs up', async () => {
      opened.receiver.treat('cut');
      expect(await inTime(failure(send()))).toBeInstanceOf(RetryLater);
    });

    promise('hang', 'stops at once on abort', async () => {
      opened.receiver.treat('hang');
      const stop = new AbortController();
      const error = failure(send(stop.signal));
      await sleep(50);
      stop.abort();
      expect(await inTime(error)).toBeInstanceOf(RetryLater);
    });

    promise('accept', 'sends nothing when it was aborted before', async () => {
      const error = await inTime(failure(send(AbortSignal.abort())));
      expect(error).toBeInstanceOf(RetryLater);
      await sleep(20);
      expect(opened.receiver.arrived()).toEqual([]);
    });

    promise('babble', 'keeps no more than 4 KB of a long answer', async () => {
      opened.receiver.treat('babble');
      const { body } = await inTime(send());
      expect(body).toBeTruthy();
      expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(KEPT_BYTES);
    });

    it('never reveals a secret, even if the receiver echoes it', async () => {
      opened = await open({ patience: PATIENCE_MS });
      expect(opened.secrets).not.toEqual([]);
      const all: readonly Treatment[] = ['accept', 'refuseForNow', 'refuseForGood', 'gone', 'cut', 'babble', 'echo'];
      for (const treatment of all.filter((one) => !without.some((other) => other === one))) {
        opened.receiver.treat(treatment);
        const text = await send().then(tellReceipt, tellError);
        for (const secret of opened.secrets) expect(text).not.toContain(secret);
      }
    });

    promise('echo', 'keeps what the receiver repeats, but for the secrets', async () => {
      opened.receiver.treat('echo');
      const { evidence } = await failure(send());
      expect(evidence.body).toBeTruthy();
    });
  });
}

type Failure = TidingsError & Pick<RetryLater, 'evidence'>;

/** The RetryLater or GiveUp that it throws; fails the test otherwise. */
async function failure(sent: Promise<Receipt>): Promise<Failure> {
  const error = await sent.then(
    () => new Error('it was taken'),
    (reason: unknown) => reason,
  );
  if (error instanceof RetryLater || error instanceof GiveUp) return error;
  throw error;
}

async function inTime<Value>(value: Promise<Value>): Promise<Value> {
  const late = new AbortController();
  const timeout = sleep(AT_MOST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`it did not end within ${AT_MOST_MS} ms`);
  });
  try {
    return await Promise.race([value, timeout]);
  } finally {
    late.abort();
    timeout.catch(() => {});
  }
}

const tellReceipt = (receipt: Receipt): string => JSON.stringify(receipt);

/** Everything of an error that is shown or stored: its message, its evidence, and the messages of its causes. */
function tellError(error: unknown): string {
  if (!(error instanceof RetryLater || error instanceof GiveUp)) throw error;
  const cause = error.cause instanceof Error ? `${error.cause.message} ${error.cause.stack}` : String(error.cause);
  return JSON.stringify([error.code, error.message, error.stack, error.evidence, cause]);
}
