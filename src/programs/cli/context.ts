/** The parts of the process that a command may use. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Prints a line to standard error. */
  readonly report: (line: string) => void;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Runs a command with its arguments. Returns the exit code. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;
