/** An input for one field. */
export interface Control {
  readonly element: HTMLElement;
  /** Elements to mark if the field is invalid. The first one gets the focus. */
  readonly inputs: readonly HTMLElement[];
  /** True if the control has a legend, so that a label would repeat the name. */
  readonly isGroup: boolean;
  /**
   * Returns the value. Undefined if nothing is set.
   * @throws InputProblem if the input is invalid
   */
  readonly read: () => unknown;
  /** Sets the value. Undefined resets it. */
  readonly write: (value: unknown) => void;
}

/** The input does not have the expected form. */
export class InputProblem extends Error {
  override readonly name = 'InputProblem';
}

/** Options of every control. */
export interface ControlContext {
  /** Id of its input, for the label. */
  readonly id: string;
  /** Ids of its description: explanation and error. */
  readonly describedBy: string;
  readonly label: string;
}

/** Returns the placeholder for an example. Alone, it would look like a value. */
export function asPlaceholder(example: string | undefined): string | undefined {
  return example === undefined || example === '' ? undefined : `For example ${example}`;
}
