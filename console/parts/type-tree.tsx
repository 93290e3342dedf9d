/** The choice of event types: a tree of check boxes with a search, the meaning of each and an example. Works without a script. */

import type { FC } from 'hono/jsx';
import { eventsOf } from '../filter-form.ts';
import { matchesSearch, type TypeChoice, type TypeGroup } from '../form-choices.ts';
import type { FormText } from '../form-text.ts';
import { type FormErrors, TextField } from './field.tsx';
import { Icon } from './icon.tsx';

interface TypeTreeProps {
  readonly form: FormText;
  readonly errors: FormErrors;
  readonly groups: readonly TypeGroup[];
}

export const TypeTree: FC<TypeTreeProps> = ({ form, errors, groups }) => {
  const chosen = new Set(eventsOf(form));
  const offered = new Set(
    groups.flatMap(({ all, types }) => [...(all ? [all] : []), ...types.map(({ type }) => type)]),
  );
  const search = (form.get('search') ?? '').trim();
  const wrong = errors.get('events');
  const others = [...chosen].filter((glob) => !offered.has(glob));
  return (
    <fieldset id="f-events" class={wrong === undefined ? 'field types' : 'field types is-wrong'} tabindex={-1}>
      <legend>What happened</legend>
      {wrong === undefined ? null : (
        <p class="wrong">
          <Icon name="late" /> {wrong.join(' ')}
        </p>
      )}
      <div class="type-search">
        <label for="f-search">Find</label>
        <input
          id="f-search"
          name="search"
          type="search"
          value={search}
          placeholder="overdue, paid, assigned…"
          autocomplete="off"
          data-type-search
        />
        <input type="hidden" name="search.was" value={search} />
        <button class="unscripted" type="submit" name="do" value="search">
          Search
        </button>
      </div>
      <div class="type-list">
        {groups.map((group, index) => (
          <Group group={group} chosen={chosen} search={search} isFirst={index === 0} />
        ))}
      </div>
      <p
        class="soft"
        data-no-type
        hidden={
          search === '' || groups.some((group) => group.types.some((one) => matchesSearch(one, group.title, search)))
        }
      >
        Nothing matches this search.
      </p>
      <details class="further" open={others.length > 0}>
        <summary>Patterns</summary>
        <TextField
          name="globs"
          label="Patterns of event types"
          isOptional
          hint="* stands for any characters: *.deleted is whatever was deleted."
          value={others.join(' ')}
          errors={errors}
        />
      </details>
    </fieldset>
  );
};

interface GroupProps {
  readonly group: TypeGroup;
  readonly chosen: ReadonlySet<string>;
  readonly search: string;
  readonly isFirst: boolean;
}

const Group: FC<GroupProps> = ({ group: { title, all, allTitle, types }, chosen, search, isFirst }) => {
  const isChosen = (one: string | undefined) => one !== undefined && chosen.has(one);
  const count = types.filter(({ type }) => isChosen(type)).length;
  const chosenFirst = types.toSorted((a, b) => Number(isChosen(b.type)) - Number(isChosen(a.type)));
  const found = types.filter((one) => matchesSearch(one, title, search)).length;
  const isOpen =
    search === '' ? count > 0 || isChosen(all) || (isFirst && chosen.size === 0) : found + count > 0 || isChosen(all);
  return (
    <details class="type-group" open={isOpen} hidden={found === 0 && count === 0 && !isChosen(all)}>
      <summary>
        <span class="type-title">{title}</span>{' '}
        <span class="soft" data-chosen>
          {isChosen(all) ? 'all' : count === 0 ? '' : `${count} chosen`}
        </span>
      </summary>
      <ul>
        {all === undefined ? null : (
          <li hidden={search !== '' && !isChosen(all)}>
            <label class="type">
              <input type="checkbox" name="events" value={all} checked={isChosen(all)} data-all />
              <span class="type-meaning">{allTitle}</span>
              <code>{all}</code>
            </label>
          </li>
        )}
        {chosenFirst.map((one) => (
          <Choice
            choice={one}
            isChosen={isChosen(one.type)}
            isHidden={!matchesSearch(one, title, search) && !isChosen(one.type)}
            title={title}
          />
        ))}
      </ul>
    </details>
  );
};

interface ChoiceProps {
  readonly choice: TypeChoice;
  readonly title: string;
  readonly isChosen: boolean;
  readonly isHidden: boolean;
}

const Choice: FC<ChoiceProps> = ({ choice: { type, meaning, example }, title, isChosen, isHidden }) => (
  <li hidden={isHidden} data-search-text={`${type} ${meaning} ${example} ${title}`.toLowerCase()}>
    <label class="type">
      <input type="checkbox" name="events" value={type} checked={isChosen} />
      <span class="type-meaning">{meaning.replace(/\.$/, '')}</span>
      <code>{type}</code>
      {example === '' ? null : <span class="type-example">{example}</span>}
    </label>
  </li>
);
