/** What a part of a page came to, in the page. */
export interface PartTaken {
  /** As it will stand in the answer, with `truncated: true` where it was cut. */
  readonly value: { readonly [key: string]: unknown };
  /** Codes of warnings. */
  readonly warnings?: readonly string[];
}
