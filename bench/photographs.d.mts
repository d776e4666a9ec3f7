export declare const PHOTOGRAPHS: { readonly count: number; readonly width: number; readonly height: number };
export declare function createPhotographs(): Promise<Buffer[]>;
