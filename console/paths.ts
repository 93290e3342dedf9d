/** The addresses of the console's pages. Pages link to each other with these functions only. */

export const CONSOLE_PATH = '/console';

/** The reference page of the management API, on the same server. */
export const API_REFERENCE = '/v1/docs';

/** Leaves out parameters without a value. */
export function pathTo(page: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') parameters.set(key, value);
  const text = parameters.toString();
  return `${CONSOLE_PATH}${page}${text === '' ? '' : `?${text}`}`;
}

export const eventPath = (id: string): string => pathTo(`/events/${encodeURIComponent(id)}`);

/** @param subject `task/123` @param source the name of the source */
export function recordPath(subject: string, source?: string): string {
  const [resource = '', ...id] = subject.split('/');
  return pathTo(`/records/${encodeURIComponent(resource)}/${encodeURIComponent(id.join('/'))}`, { source });
}

/** The page to show after logging in. Any other address than one of the console becomes its first page. */
export function safeReturnPath(text: string | undefined): string {
  const url = text === undefined ? null : URL.parse(text, 'http://console.invalid');
  if (url === null || url.origin !== 'http://console.invalid' || text?.startsWith('/') !== true) return CONSOLE_PATH;
  const isConsole = url.pathname === CONSOLE_PATH || url.pathname.startsWith(`${CONSOLE_PATH}/`);
  // Log-out and log-in pages would end the session that has just begun, or show an error.
  return isConsole && !/\/log-(in|out)$/.test(url.pathname) ? `${url.pathname}${url.search}` : CONSOLE_PATH;
}

export const sourcePath = (name: string): string => pathTo(`/sources/${encodeURIComponent(name)}`);

export const deliveryPath = (id: string): string => pathTo(`/deliveries/${encodeURIComponent(id)}`);

/** The page of a subscription that is called `new`: the form for a new one has its address. */
export const NEW_SUBSCRIPTION_PATH = '/subscriptions/~new';

/** @param part a page below it: `edit` */
export function subscriptionPath(name: string, part?: string): string {
  if (name === 'new' && part === undefined) return pathTo(NEW_SUBSCRIPTION_PATH);
  return pathTo(`/subscriptions/${encodeURIComponent(name)}${part === undefined ? '' : `/${part}`}`);
}
