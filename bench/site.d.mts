export declare const ONE_LINE_PAGE: string;
export declare const PHOTOGRAPHS_PAGE: string;

export interface BenchSite {
  readonly origin: string;
  readonly url: (path: string) => string;
  readonly close: () => Promise<void>;
}

export declare function createBenchSite(options?: { host?: string; port?: number }): Promise<BenchSite>;
