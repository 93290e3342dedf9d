/**
 * An app whose code is loaded at its first request: a service starts sooner without pages that perhaps nobody opens. Handles no
 * request itself.
 */

import { Hono } from 'hono';

/** @param path where the app is mounted */
export function deferredApp(path: string, load: () => Promise<Hono>): Hono {
  const mount = async () => {
    const mounted = new Hono().route(path, await load());
    // Left to the app that this one is part of.
    mounted.onError((error) => {
      throw error;
    });
    return mounted;
  };
  let loading: Promise<Hono> | undefined;
  return new Hono().all('*', async (context) => {
    loading ??= mount();
    return (await loading).fetch(context.req.raw, context.env);
  });
}
