/** Result of reading a part in the page. */
export interface PartTaken {
  /** The part as it appears in the answer, with `truncated: true` if it was cut. */
  readonly value: { readonly [key: string]: unknown };
  /** Warning codes. */
  readonly warnings?: readonly string[];
}
