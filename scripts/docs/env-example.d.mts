export declare function renderEnvExample(
  settings: readonly {
    readonly name: string;
    readonly defaultText: string;
    readonly defaultIsProse: boolean;
    readonly meaning: string;
  }[],
): string;
