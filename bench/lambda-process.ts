/** Runs one bundled function as Lambda does: loads it, reports that it is ready, and invokes it once for each message. */

export interface InvokeMessage {
  readonly event: unknown;
  /** Milliseconds until the timeout. */
  readonly time: number;
}

/** The first message is empty: the function is loaded. */
export interface InvokedMessage {
  readonly ms?: number;
  readonly error?: string;
  readonly result?: unknown;
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

const { handler } = (await import(process.argv[2] ?? '')) as { readonly handler: Handler };
let calls = 0;

process.on('message', async ({ event, time }: InvokeMessage) => {
  const startedAt = performance.now();
  const context = {
    awsRequestId: `request-${++calls}`,
    functionName: 'tidings',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:tidings',
    memoryLimitInMB: '512',
    getRemainingTimeInMillis: () => Math.max(0, startedAt + time - performance.now()),
  };
  const outcome = await handler(event, context).then(
    (result): InvokedMessage => ({ result }),
    (error: unknown): InvokedMessage => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.({ ...outcome, ms: performance.now() - startedAt } satisfies InvokedMessage);
});

process.send?.({} satisfies InvokedMessage);
