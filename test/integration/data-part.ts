import assert from 'node:assert/strict';
import { getDataPartClass } from '../../src/platform/newer-vscode.ts';

const dataPartClass = getDataPartClass();
assert.ok(dataPartClass, 'The suites run in VS Code 1.106 or newer.');

/** The class `LanguageModelDataPart` of the VS Code API. It exists in every version of VS Code that runs the suites. */
export const DataPart = dataPartClass;
