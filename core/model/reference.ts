/** References to environment variables in settings: `${NAME}`. */

const REFERENCE = /\$\{([^}]*)\}/g;

/** Replaces each reference. Linear: without a closing brace after them, `${${${…` would be searched once per `${`. */
export function replaceReferences(text: string, replace: (reference: string, name: string) => string): string {
  const end = text.lastIndexOf('}') + 1;
  return text.slice(0, end).replace(REFERENCE, replace) + text.slice(end);
}

/** The names in a text, in order. */
export function referencesIn(text: string): readonly string[] {
  const names: string[] = [];
  replaceReferences(text, (reference, name) => {
    names.push(name);
    return reference;
  });
  return names;
}
