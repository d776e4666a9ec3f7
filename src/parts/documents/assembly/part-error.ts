/** A part can't be used. */
export class PartError extends Error {
  override readonly name = 'PartError';
  /** Its index. */
  readonly part: number;
  /** In words for the client, or the name of a problem of PDFium. */
  readonly problem: string;

  constructor(part: number, problem: string) {
    super(problem);
    this.part = part;
    this.problem = problem;
  }
}
