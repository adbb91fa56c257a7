import assert from 'node:assert/strict';
import { getDataPartClass } from '../../src/platform/newer-vscode.ts';

const dataPartClass = getDataPartClass();
assert.ok(dataPartClass, 'The suites run in VS Code 1.106 or newer.');

/** Class of data parts in the VS Code API, which every VS Code under test has. */
export const DataPart = dataPartClass;
