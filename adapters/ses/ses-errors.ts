/** What SES's refusals mean: try later, or give up, in words that say what a person has to do. Sends nothing. */

import { type ErrorCode, GiveUp, RetryLater } from '../../core/model/errors.ts';
import { HOUR } from '../../core/model/time.ts';
import type { AwsFault } from '../aws/call.ts';
import type { OutgoingMail } from '../channels/email/compose-mail.ts';
import { REFUSED } from '../channels/email/transport.ts';

const UNVERIFIED = 'TIDINGS_MAIL_SENDER_UNVERIFIED';

export function toDeliveryError(fault: AwsFault, mail: OutgoingMail, configurationSet: string | undefined): Error {
  const { evidence, words } = fault;
  const giveUp = (code: ErrorCode, message: string) => new GiveUp(code, message, { evidence });
  const later = (code: ErrorCode, message: string) => new RetryLater(code, message, { evidence });
  const sender = mail.from.address;
  const reader = mail.to.address;
  switch (fault.fault) {
    case 'MailFromDomainNotVerifiedException':
      return giveUp(UNVERIFIED, `SES does not send as ${sender}: its MAIL FROM domain is not verified: ${words}`);
    case 'MessageRejected':
      return /not verified/i.test(words) ? judgeUnverified() : giveUp(REFUSED, `SES refused the mail: ${words}`);
    case 'SendingPausedException':
    case 'AccountSendingPausedException':
    case 'ConfigurationSetSendingPausedException':
      // Turned on again in time, the mails of these days still go.
      return later(
        'TIDINGS_MAIL_SENDING_PAUSED',
        `SES sends nothing for this account or configuration set until a person turns sending on again: ${words}`,
      );
    case 'AccountSuspendedException':
      return giveUp('TIDINGS_MAIL_SENDING_PAUSED', `SES has ended sending for this account, ask AWS: ${words}`);
    case 'NotFoundException':
    case 'ConfigurationSetDoesNotExistException':
      return giveUp(
        'TIDINGS_MAIL_NOT_SET_UP',
        `SES does not know what the mail names${configurationSet === undefined ? '' : `, configuration set '${configurationSet}'`}: ${words}`,
      );
  }
  switch (fault.trouble) {
    case 'throttled':
      return judgeThrottled(fault);
    case 'denied':
      // Given a moment ago, a right is not known everywhere in AWS yet; and a person may still give it.
      return later('TIDINGS_MAIL_LOGIN_REFUSED', `SES: the role may not send as ${sender} (ses:SendEmail): ${words}`);
    case 'refused':
      return giveUp(REFUSED, `SES refused the mail to ${reader}: ${fault.message}`);
    case 'passing':
      return later('TIDINGS_MAIL_UNREACHABLE', `SES did not take the mail: ${fault.message}`);
  }

  /** SES names the identities that failed. That of a reader is asked for in the sandbox only. */
  function judgeUnverified(): Error {
    return words.toLowerCase().includes(reader.toLowerCase()) && !words.toLowerCase().includes(sender.toLowerCase())
      ? giveUp(
          REFUSED,
          `SES is in its sandbox and sends to verified addresses only, which ${reader} is not: verify it, or ask AWS for production access`,
        )
      : giveUp(UNVERIFIED, `SES does not send as ${sender}: verify the address or its domain in this region: ${words}`);
  }
}

/** The day's number counts over 24 hours: soon is of no use. The rate is a matter of seconds: the schedule will do. */
function judgeThrottled({ words, message, evidence }: AwsFault): RetryLater {
  const isDay = /daily/i.test(words);
  return new RetryLater(
    'TIDINGS_MAIL_THROTTLED',
    isDay
      ? `SES takes no more mails today: its sandbox allows 200 a day; ask AWS for more: ${words}`
      : `SES takes no more mails right now: ${message}`,
    { evidence, ...(isDay ? { after: HOUR } : {}) },
  );
}
