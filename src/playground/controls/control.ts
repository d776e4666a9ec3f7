/** What a person sets one field with. */
export interface Control {
  readonly element: HTMLElement;
  /** The elements that are wrong when the field is. The first of them is focused. */
  readonly inputs: readonly HTMLElement[];
  /** True when the control has a legend, and a label would name it twice. */
  readonly isGroup: boolean;
  /**
   * The value; undefined when nothing is set.
   * @throws InputProblem for what can't be read.
   */
  readonly read: () => unknown;
  /** Undefined sets it back. */
  readonly write: (value: unknown) => void;
}

/** What a person typed is not of the form that the control takes. */
export class InputProblem extends Error {
  override readonly name = 'InputProblem';
}

/** What every kind of control is told. */
export interface ControlContext {
  /** The id of its input, for the label. */
  readonly id: string;
  /** The ids of what describes it: explanation and error. */
  readonly describedBy: string;
  readonly label: string;
}
