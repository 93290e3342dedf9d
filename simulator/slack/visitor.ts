/**
 * What a person does in a simulated Slack: types messages and commands, presses buttons, fills modals, opens the app's Home tab.
 * Each becomes the request that Slack would send to the app.
 */

import { applyAnswer, hasContent } from './answers.ts';
import type { InstalledApp } from './app.ts';
import type { AppAnswer } from './app-request.ts';
import { type EnteredValues, mergeState, type StateValues } from './element-state.ts';
import { type JsonObject, stringOr } from './json.ts';
import { plainPayload } from './payload.ts';
import { type Person, TEAM_DOMAIN, TEAM_ID } from './people.ts';
import { actionJson, enteredValues, findElement, type Pressed } from './pressed-element.ts';
import { answerSubmission } from './submission-answer.ts';
import type { TemporaryTokens } from './temporary-tokens.ts';
import { problemsIn, type View, type Views } from './views.ts';
import { actorJson, messageJson, teamJson, viewJson } from './wire.ts';
import type { PostedMessage, SlackChannel, Workspace } from './workspace.ts';

export interface VisitorParts {
  readonly workspace: Workspace;
  readonly app: InstalledApp;
  readonly views: Views;
  readonly tokens: TemporaryTokens;
  readonly scopes: readonly string[];
  /** What was entered in messages, by channel and message. */
  readonly messageStates: Map<string, StateValues>;
  /** Base URL of the stand-in, for response URLs. */
  readonly url: () => string;
}

export class Visitor {
  readonly #parts: VisitorParts;
  readonly person: Person;

  constructor(parts: VisitorParts, person: Person) {
    this.#parts = parts;
    this.person = person;
  }

  /** Messages of a channel that this person sees. */
  sees(channel: string): readonly PostedMessage[] {
    return this.#parts.workspace.messagesFor(this.#channel(channel), this.person);
  }

  modal(): View | undefined {
    return this.#parts.views.modal(this.person.id);
  }

  home(): View | undefined {
    return this.#parts.views.home(this.person.id);
  }

  /** A message, or a command if it starts with a slash. Resolves when the app has acknowledged it or has failed to. */
  async type(channel: string, text: string, thread?: string): Promise<void> {
    const { workspace, app } = this.#parts;
    const to = this.#channel(channel);
    if (!workspace.isMember(to, this.person)) throw new RangeError(`${this.person.name} is not in #${to.name}`);
    const said = text.trim();
    if (said === '') return;
    if (said.startsWith('/')) return this.#command(to, said, thread);
    const mention = `<@${app.identity.botUser}>`;
    const written = escapeText(said).replaceAll(new RegExp(`@${app.name}\\b`, 'gi'), mention);
    const posted = workspace.post(to, plainPayload(written), { by: 'person', user: this.person.id, threadTs: thread });
    if (to.direct !== undefined) await this.#event('message', to, posted, { channel_type: 'im' });
    else if (written.includes(mention)) {
      if (to.hasBot) await this.#event('app_mention', to, posted);
      else
        this.#notice(
          to,
          `You mentioned ${mention}, but they’re not in this channel. Type /invite @${app.name} to add them.`,
        );
    }
  }

  /** Uses an element of a message: presses its button, chooses in its menu. */
  async press(channel: string, ts: string, pressed: Pressed): Promise<void> {
    const { app, tokens, workspace, messageStates, url } = this.#parts;
    const to = this.#channel(channel);
    const message = this.sees(channel).find((one) => one.ts === ts);
    if (message === undefined) throw new RangeError(`${this.person.name} sees no message ${ts} in #${to.name}`);
    const blocks = [...message.blocks, ...message.attachments.flatMap((one) => one.blocks)];
    const { block, element } = findElement(blocks, pressed);
    const isEphemeral = workspace.findEphemeral(to.id, ts) !== undefined;
    const container: JsonObject = {
      type: message.blocks.includes(block) ? 'message' : 'message_attachment',
      message_ts: ts,
      channel_id: to.id,
      is_ephemeral: isEphemeral,
      ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
      ...(message.blocks.includes(block) ? {} : { attachment_id: 1, is_app_unfurl: false }),
    };
    const entered = enteredValues(block, element, pressed.value ?? null);
    const values = mergeState(blocks, messageStates.get(`${to.id} ${ts}`) ?? {}, entered);
    messageStates.set(`${to.id} ${ts}`, values);
    const answer = await app.send({
      kind: 'interactive',
      acceptsResponse: false,
      payload: {
        ...this.#interaction('block_actions'),
        container,
        channel: { id: to.id, name: nameOf(to) },
        // Slack does not send the content of ephemeral messages.
        ...(isEphemeral ? {} : { message: messageJson(message, app.identity) }),
        state: { values },
        response_url: `${url()}${tokens.responsePath({ user: this.person.id, channel: to.id, source: ts })}`,
        actions: [actionJson(block, element, pressed.value ?? null, this.#eventTime())],
      },
    });
    if (!answer.ok) this.#notice(to, `${app.name} did not respond to that (${answer.failure}).`);
  }

  /** Uses an element of the modal in front, or of the Home tab. */
  async pressInView(where: 'modal' | 'home', pressed: Pressed, entered: EnteredValues = {}): Promise<AppAnswer> {
    const { app, views } = this.#parts;
    const shown = where === 'modal' ? this.modal() : this.home();
    if (shown === undefined) throw new RangeError(`${this.person.name} sees no ${where} view`);
    const { block, element } = findElement(shown.blocks, pressed);
    const own = enteredValues(block, element, pressed.value ?? null);
    const view = views.enter(this.person.id, shown, { ...entered, ...own });
    return app.send({
      kind: 'interactive',
      acceptsResponse: false,
      payload: {
        ...this.#interaction('block_actions'),
        container: { type: 'view', view_id: view.id },
        view: viewJson(view, app.identity, views.stack(this.person.id)),
        actions: [actionJson(block, element, pressed.value ?? null, this.#eventTime())],
      },
    });
  }

  /** Submits the modal in front. It stays open, with the problems beside its inputs, unless everything is right. */
  async submit(entered: EnteredValues = {}): Promise<void> {
    const { app, views } = this.#parts;
    const shown = this.modal();
    if (shown === undefined) throw new RangeError(`${this.person.name} sees no modal`);
    const view = views.enter(this.person.id, shown, entered);
    const problems = problemsIn(view);
    if (Object.keys(problems).length > 0) return views.setErrors(this.person.id, view, problems);
    const answer = await app.send({
      kind: 'interactive',
      acceptsResponse: true,
      payload: {
        ...this.#interaction('view_submission'),
        view: viewJson(view, app.identity, views.stack(this.person.id)),
        response_urls: [],
      },
    });
    const wrong = answer.ok ? answerSubmission(views, this.person.id, view, answer.answer) : answer.failure;
    if (wrong === undefined) return;
    const [block] = view.blocks;
    const current = views.find(view.id)?.view ?? view;
    views.setErrors(this.person.id, current, {
      [stringOr(block?.block_id, '')]: `We had some trouble connecting (${wrong}). Try again?`,
    });
  }

  async closeModal(): Promise<void> {
    const { app, views } = this.#parts;
    const view = this.modal();
    if (view === undefined) return;
    const isCleared = view.sent.clear_on_close === true;
    const shown = viewJson(view, app.identity, views.stack(this.person.id));
    views.close(this.person.id, isCleared);
    if (view.sent.notify_on_close !== true) return;
    const { trigger_id: _, ...payload } = this.#interaction('view_closed');
    await app.send({
      kind: 'interactive',
      acceptsResponse: false,
      payload: { ...payload, view: shown, is_cleared: isCleared },
    });
  }

  async openHome(): Promise<void> {
    const { workspace, app } = this.#parts;
    const to = workspace.openDirect(this.person.id);
    const view = this.home();
    if (!app.events.includes('app_home_opened')) return;
    await app.sendEvent({
      type: 'app_home_opened',
      user: this.person.id,
      channel: to.id,
      event_ts: this.#eventTime(),
      tab: 'home',
      ...(view === undefined ? {} : { view: viewJson(view, app.identity) }),
    });
  }

  async #command(to: SlackChannel, said: string, thread: string | undefined): Promise<void> {
    const { app, tokens, workspace, scopes, url } = this.#parts;
    const [, command = '', text = ''] = /^(\S+)\s*(.*)$/s.exec(said) ?? [];
    if (command === '/invite') {
      to.hasBot = true;
      workspace.post(to, plainPayload(`added <@${app.identity.botUser}> to the channel.`), {
        by: 'person',
        user: this.person.id,
      });
      return;
    }
    if (command !== app.command || !app.isInstalled || !scopes.includes('commands'))
      return this.#notice(to, `${command} is not a valid command.`);
    if (thread !== undefined) return this.#notice(to, `${command} is not supported in threads. Sorry!`, thread);
    const target = { user: this.person.id, channel: to.id };
    const answer = await app.send({
      kind: 'slash_commands',
      acceptsResponse: true,
      payload: {
        token: 'standin-verification-token',
        team_id: TEAM_ID,
        team_domain: TEAM_DOMAIN,
        channel_id: to.id,
        channel_name: nameOf(to),
        user_id: this.person.id,
        user_name: this.person.handle,
        command,
        text: text.trim(),
        api_app_id: app.identity.appId,
        is_enterprise_install: 'false',
        response_url: `${url()}${tokens.responsePath(target)}`,
        trigger_id: tokens.trigger(this.person.id),
      },
    });
    const error = answer.ok
      ? hasContent(answer.answer)
        ? applyAnswer(workspace, target, answer.answer)
        : undefined
      : answer.failure;
    if (error !== undefined) this.#notice(to, `${command} failed with the error "${error}"`);
  }

  async #event(type: string, to: SlackChannel, message: PostedMessage, more: JsonObject = {}): Promise<void> {
    const { app, scopes } = this.#parts;
    const name = type === 'message' ? 'message.im' : type;
    const scope = type === 'message' ? 'im:history' : 'app_mentions:read';
    if (!app.events.includes(name) || !scopes.includes(scope) || !app.isInstalled) return;
    const { type: _, ...content } = messageJson(message, app.identity);
    await app.sendEvent({ type, ...content, channel: to.id, event_ts: message.ts, ...more }, to.isShared);
  }

  #interaction(type: string): JsonObject {
    const { app, tokens } = this.#parts;
    return {
      type,
      user: actorJson(this.person),
      api_app_id: app.identity.appId,
      token: 'standin-verification-token',
      trigger_id: tokens.trigger(this.person.id),
      team: teamJson,
      enterprise: null,
      is_enterprise_install: false,
    };
  }

  #eventTime = (): string => (this.#parts.workspace.now() / 1000).toFixed(6);

  /** A line of Slack's own that only this person sees. */
  #notice(to: SlackChannel, text: string, threadTs?: string): void {
    this.#parts.workspace.postEphemeral(to, plainPayload(text), this.person.id, { by: 'slackbot', threadTs });
  }

  #channel(name: string): SlackChannel {
    const { workspace } = this.#parts;
    const channel = workspace.find(name);
    if (channel === undefined || !workspace.channelsOf(this.person).includes(channel))
      throw new RangeError(`${this.person.name} sees no channel '${name}'`);
    return channel;
  }
}

/** The name of a channel in payloads. */
const nameOf = ({ direct, isPrivate, name }: SlackChannel): string =>
  direct !== undefined ? 'directmessage' : isPrivate ? 'privategroup' : name;

/** What a person typed, as Slack stores and sends it: three characters escaped, addresses as links. */
const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/https?:\/\/\S+/g, '<$&>');
