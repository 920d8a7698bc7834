// The elements of index.html, by their ids.

/** @throws Error where the page has no such element: the page and its program do not fit */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`index.html has no ${type.name} #${id}`);
  return found;
}

export const button = (id: string) => byId(id, HTMLButtonElement);
export const select = (id: string) => byId(id, HTMLSelectElement);
export const input = (id: string) => byId(id, HTMLInputElement);
export const element = (id: string) => byId(id, HTMLElement);

type Child = Node | string;

/** A new element; properties are set as they are, `data-…` and `aria-…` as attributes. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, string | number | boolean>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name === 'class') made.className = String(value);
    else if (name in made && !name.includes('-')) Object.assign(made, { [name]: value });
    else made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** A list of terms and their texts. */
export function facts(list: HTMLElement, entries: readonly (readonly [string, string])[]): void {
  list.replaceChildren(
    ...entries.flatMap(([term, text]) => [make('dt', {}, term), make('dd', {}, text)]),
  );
  list.hidden = entries.length === 0;
}
