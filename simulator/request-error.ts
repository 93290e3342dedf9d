/**
 * A request the service refuses, with the HTTP status and the service's own code.
 * One class with one function per reason, so that each code has one meaning.
 */

export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const noCredentials = () =>
  new RequestError(401, 2, 'Authentication is missing: expected HTTP Basic with the API token as user name');
export const badToken = () => new RequestError(401, 3, 'The API token is not valid');
export const noPassword = () => new RequestError(401, 7, 'The password is empty: any non-empty string will do');
export const inactivePerson = () => new RequestError(401, 8, 'The person of this API token is not active');
export const noLogin = () => new RequestError(401, 9, 'The person of this API token may not log in');
export const forbidden = (message: string) => new RequestError(403, 10, message);
export const quotaExceeded = (quota: number, reset: string) =>
  new RequestError(400, 11, `The daily quota of ${quota} requests is used up until ${reset} GMT`);
export const rateLimited = (limit: number) =>
  new RequestError(400, 12, `Too fast: more than ${limit} requests in one minute from this address`);
export const unknownResource = (name: string) => new RequestError(400, 13, `There is no resource '${name}'`);
export const noRecord = (resource: string, id: number | string) =>
  new RequestError(404, 14, `There is no ${resource} with id ${id}`);
export const unknownAction = (message: string) => new RequestError(400, 15, message);
export const unknownMethod = (method: string, path: string) =>
  new RequestError(400, 16, `The method ${method} is not offered at ${path}`);
export const unknownParameter = (name: string, resource: string) =>
  new RequestError(400, 17, `Unrecognized parameter '${name}' for ${resource}`);
export const invalid = (field: string, message: string) => new RequestError(400, 18, `${field}: ${message}`);
