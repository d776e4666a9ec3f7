/** The used part of `turndown`. */
export type TurndownClass = new (options: Readonly<Record<string, string>>) => Turndown;

/** A converter. */
export interface Turndown {
  escape: (text: string) => string;
  readonly turndown: (root: Element) => string;
  readonly addRule: (name: string, rule: Rule) => unknown;
}

/** How an element is written. */
export interface Rule {
  readonly filter: string | readonly string[] | ((node: Element) => boolean);
  readonly replacement: (content: string, node: Element) => string;
}
