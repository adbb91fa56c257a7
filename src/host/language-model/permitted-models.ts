import * as vscode from 'vscode';
import { permittedModels as permitted } from '../../models/private-only.ts';
import type { Model } from '../../service/model-types.ts';

/** Those that the lock of the person or the workspace leaves. */
export const permittedModels = (models: readonly Model[]): readonly Model[] =>
  permitted(
    models,
    vscode.workspace.getConfiguration().get('inferenceService.privateModelsOnly') === true,
  );
