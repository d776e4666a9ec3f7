export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}
export function readFileTimes(report: Report, root: string): FileTime[];
export function describeSlowest(times: readonly FileTime[]): string;
export function findOverBudget(times: readonly FileTime[]): string | undefined;
