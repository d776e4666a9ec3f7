interface ProblemOptions {
  readonly cause?: unknown;
  /** Whether it may go well in a second. */
  readonly isPassing: boolean;
}

/**
 * Why a storage did not do what it was asked for. The message is shown to clients: it names settings, and neither their values nor
 * what was found behind them.
 */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem';
  readonly isPassing: boolean;

  constructor(message: string, { cause, isPassing }: ProblemOptions) {
    super(message, { cause });
    this.isPassing = isPassing;
  }
}

/** The code of a system error, of fetch's too, whose cause has it. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return errorCode(error.cause);
}
