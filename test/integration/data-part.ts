import assert from 'node:assert/strict';
import { getDataPartClass } from '../../src/platform/newer-vscode.ts';

const dataPartClass = getDataPartClass();
assert.ok(dataPartClass, 'The suites run in VS Code 1.106 or newer.');

/**
 * Class `LanguageModelDataPart` of the VS Code API, which exists in every version of VS Code in which the suites run.
 */
export const DataPart = dataPartClass;
