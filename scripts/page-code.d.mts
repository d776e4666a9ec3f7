import type { Plugin } from 'vitest/config';

export function bundlePageCode(file: string): Promise<string>;
export function isPageCode(file: string): boolean;
export function pageCode(root: string): Plugin;
