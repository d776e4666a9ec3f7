import { describe, expect, it } from 'vitest';
import {
  BrowserClosedError,
  isDocumentLost,
  isPrintingLost,
  isRetryable,
  printRefusalOf,
  RendererCrashedError,
} from '../../../src/core/browser/browser-errors.ts';

describe('isRetryable', () => {
  it.each([
    [new BrowserClosedError('x'), true],
    [new RendererCrashedError('x'), true],
    [Object.assign(new Error('Protocol error (Page.navigate): Target closed'), { name: 'TargetCloseError' }), true],
    [new Error('Target closed'), false],
    [new TypeError('x'), false],
    ['x', false],
  ])('classifies %s: %s', (error, expected) => {
    expect(isRetryable(error)).toBe(expected);
  });
});

describe('isDocumentLost', () => {
  it.each([
    'Protocol error (Runtime.evaluate): Execution context was destroyed.',
    'Protocol error (Runtime.evaluate): Cannot find context with specified id',
    'Protocol error (Runtime.evaluate): Inspected target navigated or closed',
    'Protocol error (Runtime.evaluate): uniqueContextId not found',
    'Protocol error (CSS.forcePseudoState): Could not find node with given id',
  ])('recognises %s', (message) => {
    expect(isDocumentLost(new Error(message))).toBe(true);
  });

  it('recognises no other errors', () => {
    expect(isDocumentLost(new Error('Protocol error (Page.captureScreenshot): Unable to capture'))).toBe(false);
    expect(isDocumentLost('Execution context was destroyed')).toBe(false);
  });
});

describe('printRefusalOf', () => {
  it.each([
    ['Protocol error (Page.printToPDF): Page range exceeds page count', 'past the last page'],
    ['Protocol error (Page.printToPDF): invalid print parameters: content area is empty', 'no room'],
    ['Protocol error (Page.printToPDF): Printing failed', undefined],
  ])('parses %s', (message, expected) => {
    expect(printRefusalOf(new Error(message))).toBe(expected);
    expect(printRefusalOf(message)).toBeUndefined();
  });
});

describe('isPrintingLost', () => {
  it.each([
    [new Error('Protocol error (Page.printToPDF): Printing failed'), true],
    [new RendererCrashedError('gone'), true],
    [new Error('Protocol error (Page.printToPDF): Page range exceeds page count'), false],
    ['Printing failed', false],
  ])('classifies %s: %s', (error, expected) => {
    expect(isPrintingLost(error)).toBe(expected);
  });
});
