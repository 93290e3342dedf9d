/** Maps SES errors to RetryLater or GiveUp, with a message that says what to do. Sends nothing. */

import type { ErrorCode } from '../../core/model/error-codes.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { HOUR } from '../../core/model/time.ts';
import type { AwsError } from '../aws/call.ts';
import type { OutgoingMail } from '../channels/email/compose-mail.ts';
import { MAIL_REFUSED } from '../channels/email/transport.ts';

const UNVERIFIED = 'TIDINGS_MAIL_SENDER_UNVERIFIED';

export function toDeliveryError(error: AwsError, mail: OutgoingMail, configurationSet: string | undefined): Error {
  const { evidence, detail } = error;
  const giveUp = (code: ErrorCode, message: string) => new GiveUp(code, message, { evidence });
  const later = (code: ErrorCode, message: string) => new RetryLater(code, message, { evidence });
  const sender = mail.from.address;
  const recipient = mail.to.address;
  switch (error.awsCode) {
    case 'MailFromDomainNotVerifiedException':
      return giveUp(UNVERIFIED, `SES does not send as ${sender}: its MAIL FROM domain is not verified: ${detail}`);
    case 'MessageRejected':
      return /not verified/i.test(detail)
        ? toUnverifiedError()
        : giveUp(MAIL_REFUSED, `SES refused the mail: ${detail}`);
    case 'SendingPausedException':
    case 'AccountSendingPausedException':
    case 'ConfigurationSetSendingPausedException':
      // If sending is enabled again in time, pending mails are still sent.
      return later(
        'TIDINGS_MAIL_SENDING_PAUSED',
        `SES sending is paused for this account or configuration set; enable it again: ${detail}`,
      );
    case 'AccountSuspendedException':
      return giveUp(
        'TIDINGS_MAIL_SENDING_PAUSED',
        `SES has suspended sending for this account; contact AWS support: ${detail}`,
      );
    case 'NotFoundException':
    case 'ConfigurationSetDoesNotExistException':
      return giveUp(
        'TIDINGS_MAIL_NOT_SET_UP',
        `SES did not find ${configurationSet === undefined ? 'a resource' : `configuration set '${configurationSet}'`}: ${detail}`,
      );
  }
  switch (error.kind) {
    case 'throttled':
      return toThrottledError(error);
    case 'denied':
      // A new permission takes a moment to propagate, and an operator may still grant a missing one.
      return later('TIDINGS_MAIL_LOGIN_REFUSED', `SES: the role may not send as ${sender} (ses:SendEmail): ${detail}`);
    case 'refused':
      return giveUp(MAIL_REFUSED, `SES refused the mail to ${recipient}: ${error.message}`);
    case 'transient':
      return later('TIDINGS_MAIL_UNREACHABLE', `SES did not accept the mail: ${error.message}`);
  }

  /** SES names the identities that failed. It checks the recipient's only in the sandbox. */
  function toUnverifiedError(): Error {
    return detail.toLowerCase().includes(recipient.toLowerCase()) &&
      !detail.toLowerCase().includes(sender.toLowerCase())
      ? giveUp(
          MAIL_REFUSED,
          `SES is in the sandbox and sends only to verified addresses: verify ${recipient}, or request production access`,
        )
      : giveUp(
          UNVERIFIED,
          `SES does not send as ${sender}: verify the address or its domain in this region: ${detail}`,
        );
  }
}

/** The daily quota covers 24 hours, so an early retry is useless. The send rate recovers within seconds: the usual schedule applies. */
function toThrottledError({ detail, message, evidence }: AwsError): RetryLater {
  const isDailyQuota = /daily/i.test(detail);
  return new RetryLater(
    'TIDINGS_MAIL_THROTTLED',
    isDailyQuota
      ? `SES daily sending quota reached (200 in the sandbox); request a higher quota: ${detail}`
      : `SES is throttling: ${message}`,
    { evidence, after: isDailyQuota ? HOUR : undefined },
  );
}
