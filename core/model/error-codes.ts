/**
 * All error codes, with what each one means for the code that handles it. A code that is not listed here does not compile.
 * Codes are a contract: they are stored with attempts and scans, and receivers, logs and scripts compare them.
 */

interface ErrorFlags {
  /** Every other resource of the source would meet the error as well: the poll cycle stops. */
  readonly endsCycle?: true;
  /** The API no longer accepts the token. */
  readonly refusesToken?: true;
  /** No request is left today. */
  readonly outOfQuota?: true;
  /** The scan did not fail: it waits for quota, or is repeated at once with another role. */
  readonly notAFailedScan?: true;
  /** The token may not read the resource or record. This does not prove that a record is absent. */
  readonly forbidden?: true;
  /** A smaller page may avoid it: timeouts, 5xx, bodies that break off. */
  readonly smallerPageMayHelp?: true;
  /** Concerns a single record. Any other error would meet the next request as well. */
  readonly ofSingleRecord?: true;
  /**
   * A fault of our own, such as a secret that cannot be read or settings that a channel cannot use. It goes away once it is
   * fixed here, and uses up none of the receiver's attempts.
   */
  readonly ownFault?: true;
  /** There was nothing to send, nobody to send it to, or no time to wait for the receiver: the error says nothing about it. */
  readonly notOfReceiver?: true;
}

type ErrorTable = Readonly<Record<`TIDINGS_${string}`, ErrorFlags>>;

/** The API of a source, and its scans. */
const SOURCE_CODES = {
  TIDINGS_SOURCE_ANSWER_INVALID: { smallerPageMayHelp: true, ofSingleRecord: true },
  TIDINGS_SOURCE_ANSWER_TOO_LARGE: { smallerPageMayHelp: true },
  TIDINGS_SOURCE_BANNED: { endsCycle: true, refusesToken: true },
  TIDINGS_SOURCE_BUSY: {},
  TIDINGS_SOURCE_CHECK_FAILED: {},
  TIDINGS_SOURCE_CUT_OFF: { smallerPageMayHelp: true, ofSingleRecord: true },
  TIDINGS_SOURCE_DECLARED: {},
  TIDINGS_SOURCE_FORBIDDEN: { forbidden: true },
  TIDINGS_SOURCE_INCOMPLETE: {},
  TIDINGS_SOURCE_LEASE_LOST: { endsCycle: true },
  TIDINGS_SOURCE_NOT_FOUND: {},
  TIDINGS_SOURCE_ORDER_BROKEN: {},
  TIDINGS_SOURCE_OTHER_ACCOUNT: { endsCycle: true },
  TIDINGS_SOURCE_QUOTA_EXHAUSTED: { endsCycle: true, outOfQuota: true, notAFailedScan: true },
  TIDINGS_SOURCE_QUOTA_RESERVED: { endsCycle: true, outOfQuota: true, notAFailedScan: true },
  TIDINGS_SOURCE_REQUEST_INVALID: {},
  TIDINGS_SOURCE_ROLE_CHANGED: { notAFailedScan: true },
  TIDINGS_SOURCE_ROW_INVALID: {},
  TIDINGS_SOURCE_SETTINGS_INVALID: {},
  TIDINGS_SOURCE_STANDSTILL: {},
  TIDINGS_SOURCE_STATUS: { smallerPageMayHelp: true, ofSingleRecord: true },
  TIDINGS_SOURCE_TOO_FAST: { endsCycle: true },
  TIDINGS_SOURCE_UNAUTHORIZED: { endsCycle: true, refusesToken: true },
  TIDINGS_SOURCE_UNKNOWN: {},
  TIDINGS_SOURCE_UNPAID: { endsCycle: true, refusesToken: true },
  TIDINGS_SOURCE_UNREACHABLE: { endsCycle: true, smallerPageMayHelp: true },
  TIDINGS_SOURCE_WRITE_UNCERTAIN: {},
  TIDINGS_SOURCE_WRITE_UNSUPPORTED: {},
} as const satisfies ErrorTable;

/** Deliveries, and the channels that send them. */
const DELIVERY_CODES = {
  TIDINGS_BUS_DENIED: {},
  TIDINGS_BUS_EVENT_TOO_LARGE: {},
  TIDINGS_BUS_GONE: {},
  TIDINGS_BUS_IN_AWS_ONLY: {},
  TIDINGS_BUS_REFUSED: {},
  TIDINGS_BUS_UNREACHABLE: {},
  TIDINGS_CHANNEL_UNKNOWN: {},
  TIDINGS_CHAT_BUSY: {},
  TIDINGS_CHAT_MESSAGE_REFUSED: {},
  TIDINGS_CHAT_REFUSED: {},
  TIDINGS_CHAT_STATUS: {},
  TIDINGS_DELIVERY_CROWDED: { notOfReceiver: true },
  TIDINGS_DELIVERY_EVENT_GONE: { notOfReceiver: true },
  TIDINGS_DELIVERY_SUBSCRIPTION_GONE: { notOfReceiver: true },
  TIDINGS_DELIVERY_TOO_LATE: { notOfReceiver: true },
  TIDINGS_DELIVERY_UNEXPECTED: {},
  TIDINGS_HTTP_ADDRESS_REFUSED: {},
  TIDINGS_HTTP_FLOOD: {},
  TIDINGS_HTTP_GONE: {},
  TIDINGS_HTTP_HEADER_REFUSED: { ownFault: true },
  TIDINGS_HTTP_STATUS: {},
  TIDINGS_HTTP_UNREACHABLE: {},
  TIDINGS_HTTP_URL_REFUSED: { ownFault: true },
  TIDINGS_JOB_UNREADABLE: {},
  TIDINGS_MAIL_ADDRESS_INVALID: {},
  TIDINGS_MAIL_DEFERRED: {},
  TIDINGS_MAIL_LOGIN_REFUSED: { ownFault: true },
  TIDINGS_MAIL_NOT_ENCRYPTED: {},
  TIDINGS_MAIL_NOT_SET_UP: { ownFault: true },
  TIDINGS_MAIL_REFUSED: {},
  TIDINGS_MAIL_SENDER_UNVERIFIED: {},
  TIDINGS_MAIL_SENDING_PAUSED: { ownFault: true },
  TIDINGS_MAIL_SERVER_INVALID: { ownFault: true },
  TIDINGS_MAIL_SERVER_MISSING: {},
  TIDINGS_MAIL_THROTTLED: { ownFault: true },
  TIDINGS_MAIL_UNREACHABLE: {},
  TIDINGS_PERSON_WITHOUT_ADDRESS: { notOfReceiver: true },
  TIDINGS_SETTINGS_ROUTING_KEY_INVALID: { ownFault: true },
  TIDINGS_SETTINGS_WEBHOOK_INVALID: { ownFault: true },
  TIDINGS_SLACK_BUSY: {},
  TIDINGS_SLACK_CHANGE_IN_PROGRESS: {},
  TIDINGS_SLACK_MESSAGE_REFUSED: {},
  TIDINGS_SLACK_OTHER_CHANNEL: {},
  TIDINGS_SLACK_REFUSED: {},
  TIDINGS_SLACK_RESPONSE_TOO_LONG: {},
  TIDINGS_SLACK_SOCKET: {},
  TIDINGS_SLACK_STATUS: {},
  TIDINGS_SLACK_STATUS_UNKNOWN: {},
  TIDINGS_SLACK_TOKEN_INVALID: { ownFault: true },
  TIDINGS_SLACK_UNCONFIGURED: {},
  TIDINGS_SLACK_WEBHOOK_INVALID: { ownFault: true },
} as const satisfies ErrorTable;

/** Stores, queues, secrets and data files. */
const STORE_CODES = {
  TIDINGS_ARCHIVE_INCOMPLETE: {},
  TIDINGS_ARCHIVE_UNUSABLE: {},
  TIDINGS_BACKUP_FAILED: {},
  TIDINGS_BACKUP_UNUSABLE: {},
  TIDINGS_DATA_IN_USE: {},
  TIDINGS_IMPORT_UNFINISHED: {},
  TIDINGS_DATA_MISSING: {},
  TIDINGS_DATA_NEWER: {},
  TIDINGS_DATA_UNUSABLE: {},
  TIDINGS_FILE_EXISTS: {},
  TIDINGS_MANIFEST_BROKEN: {},
  TIDINGS_QUEUE_FAILED: {},
  TIDINGS_QUEUE_REFUSED: {},
  TIDINGS_SECRET_DENIED: { ownFault: true },
  TIDINGS_SECRET_FILE_MISSING: { ownFault: true },
  TIDINGS_SECRET_INVALID: { ownFault: true },
  TIDINGS_SECRET_NOT_A_REFERENCE: { ownFault: true },
  TIDINGS_SECRET_UNAVAILABLE: { ownFault: true },
  TIDINGS_SECRET_UNREACHABLE: { ownFault: true },
  TIDINGS_STORE_FAILED: { ownFault: true },
} as const satisfies ErrorTable;

/** The management API, its client and the console. */
const API_CODES = {
  TIDINGS_API_BUDGET: {},
  TIDINGS_API_CHANGED: {},
  TIDINGS_API_EVENTS: {},
  TIDINGS_API_FAILED: {},
  TIDINGS_API_FINISHED: {},
  TIDINGS_API_IDEMPOTENCY_KEY: {},
  TIDINGS_API_INVALID: {},
  TIDINGS_API_IN_PROGRESS: {},
  TIDINGS_API_JSON: {},
  TIDINGS_API_KEY: {},
  TIDINGS_API_MEDIA_TYPE: {},
  TIDINGS_API_METHOD: {},
  TIDINGS_API_NAME_TAKEN: {},
  TIDINGS_API_NOT_FOUND: {},
  TIDINGS_API_QUERY: {},
  TIDINGS_API_QUOTA: {},
  TIDINGS_API_RATE: {},
  TIDINGS_API_READER: {},
  TIDINGS_API_RESPONSE: {},
  TIDINGS_API_SCOPE: {},
  TIDINGS_API_TOO_LARGE: {},
  TIDINGS_API_RESPONSE_TOO_LARGE: {},
  TIDINGS_API_UNAUTHORIZED: {},
  TIDINGS_API_UNAVAILABLE: {},
  TIDINGS_API_UNREACHABLE: {},
  TIDINGS_API_UNSUPPORTED: {},
  TIDINGS_API_UNVERIFIED: {},
  TIDINGS_API_URL: {},
  TIDINGS_CONSOLE_FORBIDDEN: {},
  TIDINGS_CONSOLE_OFF: {},
  TIDINGS_CONSOLE_URL: {},
} as const satisfies ErrorTable;

/** The config, the environment and the deployment. */
const SETUP_CODES = {
  TIDINGS_AWS_CREDENTIALS_MISSING: {},
  TIDINGS_AWS_DENIED: {},
  TIDINGS_AWS_REGION_MISSING: {},
  TIDINGS_AWS_UNREACHABLE: {},
  TIDINGS_CADENCE_TOO_SHORT: {},
  TIDINGS_CONFIG_INVALID: {},
  TIDINGS_CONFIG_MISSING: {},
  TIDINGS_CONFIG_NOT_PACKED: {},
  TIDINGS_CONFIG_UNREADABLE: {},
  TIDINGS_CONFIG_WITHOUT_EFFECT: {},
  TIDINGS_ENVIRONMENT_INCOMPLETE: {},
  TIDINGS_ENV_FILE_UNREADABLE: {},
  TIDINGS_ENV_VALUE_UNSUPPORTED: {},
  TIDINGS_HOST_UNAVAILABLE: {},
  TIDINGS_PATTERN_INVALID: {},
  TIDINGS_PORT_FORBIDDEN: {},
  TIDINGS_PORT_TAKEN: {},
  TIDINGS_QUERY_INVALID: {},
  TIDINGS_REMOVAL_POLICY_UNKNOWN: {},
  TIDINGS_STACK_TAKEN: {},
  TIDINGS_STACK_UNKNOWN: {},
  TIDINGS_STACK_UNREADABLE: {},
} as const satisfies ErrorTable;

/** Commands and their options. */
const COMMAND_CODES = {
  TIDINGS_COMMAND_UNKNOWN: {},
  TIDINGS_CONFIRMATION_MISSING: {},
  TIDINGS_EVENT_UNKNOWN: {},
  TIDINGS_INIT_CANCELLED: {},
  TIDINGS_INIT_INCOMPLETE: {},
  TIDINGS_KEY_NAME: {},
  TIDINGS_OPTION_INVALID: {},
  TIDINGS_OPTION_MISSING: {},
  TIDINGS_OPTION_UNKNOWN: {},
  TIDINGS_PERIOD_BACKWARDS: {},
  TIDINGS_REPLAY_WHAT: {},
  TIDINGS_READER_UNKNOWN: {},
  TIDINGS_RETRY_WHAT: {},
  TIDINGS_SIMULATOR_UNUSABLE: {},
  TIDINGS_SUBJECT_INVALID: {},
  TIDINGS_SUBSCRIPTION_DECLARED: {},
  TIDINGS_SUBSCRIPTION_REMOVED: {},
  TIDINGS_SUBSCRIPTION_TOO_LARGE: {},
  TIDINGS_SUBSCRIPTION_UNKNOWN: {},
  TIDINGS_SUBSCRIPTION_ROTATIONS: {},
  TIDINGS_SUBSCRIPTION_UNSIGNED: {},
  TIDINGS_TEST_NO_EVENT: {},
  TIDINGS_TEST_UNANSWERED: {},
  TIDINGS_TYPE_UNWANTED: {},
  TIDINGS_UNEXPECTED: {},
  TIDINGS_URL_INVALID: {},
} as const satisfies ErrorTable;

export const ERROR_CODES = {
  ...SOURCE_CODES,
  ...DELIVERY_CODES,
  ...STORE_CODES,
  ...API_CODES,
  ...SETUP_CODES,
  ...COMMAND_CODES,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Stored codes may come from another version: an unknown one has no flags. */
function hasFlag(code: string, flag: keyof ErrorFlags): boolean {
  return FLAGS.get(code)?.[flag] === true;
}

const FLAGS = new Map<string, ErrorFlags>(Object.entries(ERROR_CODES));

/** Whether the error came from a source's API or its scans, not from our own stores and secrets. */
export const isSourceError = (code: string) => Object.hasOwn(SOURCE_CODES, code);
export const endsCycle = (code: string) => hasFlag(code, 'endsCycle');
export const refusesToken = (code: string) => hasFlag(code, 'refusesToken');
export const isOutOfQuota = (code: string) => hasFlag(code, 'outOfQuota');
export const isFailedScan = (code: string) => !hasFlag(code, 'notAFailedScan');
export const isForbidden = (code: string) => hasFlag(code, 'forbidden');
export const mayNeedSmallerPage = (code: string) => hasFlag(code, 'smallerPageMayHelp');
export const concernsSingleRecord = (code: string) => hasFlag(code, 'ofSingleRecord');
export const isOwnFault = (code: string) => hasFlag(code, 'ownFault');
export const saysNothingOfReceiver = (code: string) => hasFlag(code, 'notOfReceiver');
