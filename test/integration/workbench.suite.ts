import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { env, extensions, workspace } from 'vscode';

suite('workbench', () => {
  test('has the sample workspace open', () => {
    assert.equal(workspace.workspaceFolders?.length, 1);
  });

  test('knows the extension', () => {
    assert.ok(extensions.getExtension('inference-service.inference-service'), env.appName);
  });
});
