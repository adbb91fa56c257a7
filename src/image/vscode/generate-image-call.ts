import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../agent/tool.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ToolImage } from '../../conversation/tool-run.ts';
import type { EditModel } from '../image-model.ts';
import { estimateEditPrice, findUpscalePrice } from '../image-price.ts';
import type { ImageOrigin, ImageRecord } from '../image-record.ts';
import { buildEditRequest } from '../image-request.ts';
import { formatOperationTitle } from '../studio/vscode/studio-view.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ImageFormat } from '../../service/images/image-types.ts';
import type { Model } from '../../service/model-types.ts';
import { formatPrice } from '../../service/pricing.ts';
import type { ToolPorts } from '../../agent/vscode/agent-runtime.ts';
import type { PathResolver, ResolvedPath } from '../../workspace/vscode/paths.ts';
import { formatFileError } from './image-failure.ts';
import type { ImageServices } from './image-services.ts';
import { chooseImageFolder } from './image-location.ts';
import { mayBeCharged } from '../image-generator.ts';
import { getImageCost, formatSavedImage, refusedImageText } from '../image-text.ts';
import {
  createOrigin,
  type ImageTask,
  type ImageToolRequest,
  ImageToolRequestError,
  planToolRequest,
  type PlannedGeneration,
  readToolRequest,
} from './plan-image.ts';
import { findAvailableUri } from './save-image.ts';

/**
 * Planned call of the agent's image tool. Contains the plan for the approval request, and the function that executes
 * it.
 */
export interface GenerateImageCall {
  readonly plan: ToolPlan;
  /**
   * Executes the plan after the user has approved it.
   * @throws ToolError with instructions for the model
   */
  run(context: ToolContext): Promise<ToolResult>;
}

/** Planned image call, and the path of the file to create. */
interface PlannedCall {
  readonly task: ImageTask;
  readonly folder: vscode.Uri;
  readonly path: ResolvedPath;
  /** Image files that the call sends to the service. */
  readonly sources: readonly ResolvedPath[];
  /** Price such as `$0.01`. Empty if the price is unknown. */
  readonly price: string;
  readonly verb: string;
  /** Text of the approval request. */
  readonly text: string;
}

/** Tools of the agent that change images. */
export type ImageChange = 'edit' | 'combine' | 'upscale' | 'remove-background';

/**
 * Maximum size in bytes of an image that the tool returns to the model. A returned image becomes part of the
 * conversation, so every further request contains it.
 */
const maxReturnedBytes = 1_000_000;

/**
 * Plans a call of the image tool.
 * @throws ToolError if the call cannot succeed
 */
export async function planImageCall(
  services: ImageServices,
  ports: ToolPorts,
  args: ToolArguments,
): Promise<GenerateImageCall> {
  return toGenerateImageCall(services, ports, await planCall(services, ports, args));
}

/**
 * Plans a call that changes images of the workspace and saves the result as a new file.
 * @param models models of the service, which determine the price of upscaling
 * @throws ToolError if the call cannot succeed
 */
export async function planImageChange(
  {
    services,
    models,
    ...ports
  }: ToolPorts & {
    readonly services: ImageServices;
    readonly models: readonly Model[];
  },
  change: ImageChange,
  args: ToolArguments,
): Promise<GenerateImageCall> {
  await services.loadModels();
  const givenPaths = args['images'] ?? args['image'];
  const names = (Array.isArray(givenPaths) ? givenPaths : [givenPaths]).filter(
    (path) => typeof path === 'string',
  );
  const paths = await Promise.all(names.map((path) => ports.paths.resolvePath(path)));
  const sources = paths.map(({ uri }) => ({ type: 'file', uri: uri.toString() }) as const);
  const task = createChangeTask(services, models, { change, sources, args });
  const { operation, price } = task;
  const saveTarget = await resolveTarget(ports.paths, { origin: createOrigin(operation, 0) });
  const priceText = formatPrice(price);
  const head = [task.modelName ?? '', priceText].filter((part) => part !== '').join(' · ');
  const lines = [head, formatOperationTitle(operation), ...paths.map(({ label }) => label)];
  return toGenerateImageCall(services, ports, {
    ...saveTarget,
    task,
    sources: paths,
    price: priceText,
    verb: vscode.l10n.t('Edit'),
    text: lines.filter((line) => line !== '').join('\n\n'),
  });
}

interface ChangeInput {
  readonly change: ImageChange;
  readonly sources: readonly { readonly type: 'file'; readonly uri: string }[];
  readonly args: ToolArguments;
}

function createChangeTask(
  { choice }: ImageServices,
  models: readonly Model[],
  { change, sources, args }: ChangeInput,
): ImageTask {
  if (sources.length === 0) throw new ToolError('bad-arguments', 'Name an image file.');
  if (change === 'remove-background') return { operation: { kind: change, sources } };
  if (change === 'upscale') {
    const scale = args['scale'] === 4 ? 4 : 2;
    const price = findUpscalePrice(models, scale);
    return omitUndefined({ operation: { kind: change, scale, sources } as const, price });
  }
  const model = findEditModel(choice.editModels, args['model']);
  const imageCount = sources.length;
  if (imageCount > model.maxImages) {
    const limitMessage = `${model.name} takes ${model.maxImages} images at most.`;
    throw new ToolError('bad-arguments', limitMessage);
  }
  const givenPrompt = args['prompt'];
  const prompt = stripHiddenCharacters(
    typeof givenPrompt === 'string' ? givenPrompt : '',
  ).text.trim();
  if (prompt === '' || prompt.length > model.maxPromptChars) {
    const limit = `The prompt must have 1 to ${model.maxPromptChars} characters.`;
    throw new ToolError('bad-arguments', limit);
  }
  const { safeMode, format } = choice.options;
  const request = buildEditRequest(model, prompt, {
    imageCount,
    ...omitUndefined({ safeMode, format }),
  });
  const price = estimateEditPrice(model, { imageCount });
  const kind = imageCount > 1 ? 'combine' : 'edit';
  return omitUndefined({
    operation: { kind, ...request, sources } as const,
    modelName: model.name,
    price,
  });
}

function findEditModel(models: readonly EditModel[], name: unknown): EditModel {
  const onlineModels = models.filter(({ offline }) => !offline);
  const [firstModel] = onlineModels;
  if (firstModel === undefined)
    throw new ToolError('failed', 'The service has no model that edits.');
  if (name === undefined) return firstModel;
  const model = onlineModels.find((editModel) => editModel.id === name || editModel.name === name);
  if (model !== undefined) return model;
  const ids = onlineModels.slice(0, 12).map(({ id }) => id);
  throw new ToolError('bad-arguments', `"model" must be one of: ${ids.join(', ')}.`);
}

const toGenerateImageCall = (
  services: ImageServices,
  ports: ToolPorts,
  plannedCall: PlannedCall,
): GenerateImageCall => ({
  plan: toToolPlan(plannedCall),
  run: (context) => generateAndSave({ ...ports, services }, plannedCall, context),
});

/**
 * Returns the folder for new images and the expected path of the file. The file name can still change when the file is
 * saved.
 * @throws ToolError if no folder is available
 */
async function resolveTarget(
  paths: PathResolver,
  { origin, format = 'webp' }: { readonly origin: ImageOrigin; readonly format?: ImageFormat },
): Promise<Pick<PlannedCall, 'folder' | 'path'>> {
  const choice = chooseImageFolder(undefined);
  if (choice.kind === 'problem') throw new ToolError('failed', choice.text);
  if (choice.kind === 'ask') throw new ToolError('failed', 'No folder is open to save it in.');
  const { folder } = choice;
  return {
    folder,
    path: await paths.resolvePath(toToolPath(await findAvailableUri({ origin, format }, folder))),
  };
}

async function planCall(
  services: ImageServices,
  { paths }: ToolPorts,
  args: ToolArguments,
): Promise<PlannedCall> {
  await services.loadModels();
  const request = readToolRequest({
    ...args,
    negativePrompt: args['negative_prompt'],
    aspectRatio: args['aspect_ratio'],
  });
  const plan = planRequest(services, request);
  const { prompt, negativePrompt, format = 'webp' } = plan.request;
  const origin = { kind: 'generate', request: plan.request, variant: 0, variants: 1 } as const;
  const negativePromptLines =
    negativePrompt === undefined ? [] : [vscode.l10n.t('Without: {0}', negativePrompt)];
  return {
    ...(await resolveTarget(paths, { origin, format })),
    task: plan.task,
    sources: [],
    price: plan.price,
    verb: vscode.l10n.t('Generate'),
    text: [plan.description, prompt, ...negativePromptLines].join('\n\n'),
  };
}

function planRequest(services: ImageServices, request: ImageToolRequest): PlannedGeneration {
  try {
    return planToolRequest(services, request);
  } catch (error) {
    if (!(error instanceof ImageToolRequestError)) throw error;
    throw new ToolError('bad-arguments', error.message);
  }
}

function toToolPlan({ price, path: target, sources, text, ...verbs }: PlannedCall): ToolPlan {
  return {
    verb: verbs.verb,
    target: target.label,
    uri: target.uri.toString(),
    resources: [
      { type: 'cost', price },
      ...sources.map(
        ({ uri }) => ({ type: 'path', path: toToolPath(uri), access: 'read' }) as const,
      ),
      { type: 'path', path: toToolPath(target.uri), access: 'write' },
    ],
    preview: {
      language: 'plaintext',
      text,
      cwd: '',
      files: [target.label],
    },
  };
}

interface ImageCallPorts extends ToolPorts {
  readonly services: ImageServices;
}

async function generateAndSave(
  ports: ImageCallPorts,
  plan: PlannedCall,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal } = context;
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was asked for.');
  for (const source of plan.sources) await ports.paths.checkPathUnchanged(source);
  const { records, failure } = await ports.services.run(plan.task, {
    signal,
    onProgress: () => {},
  });
  const [record] = records;
  if (record === undefined) {
    const output = `No image was made. ${failure?.message ?? ''}`.trim();
    if (!mayBeCharged(failure?.code)) throw new ToolError('failed', output);
    const cost = getImageCost(plan.task);
    return { output: `${output} It may have been charged.`, hasFailed: true, cost };
  }
  const cost = getImageCost(record);
  if (record.moderation.contentViolation) {
    return { output: refusedImageText, hasFailed: true, cost };
  }
  // A stopped call writes no file. The image stays in the gallery, because it was charged.
  if (signal.aborted) {
    return { output: 'Stopped. The image is in the gallery, not in the workspace.', cost };
  }
  try {
    const target = await saveRecord(ports, { plan, record, context });
    return { ...(await toToolResult(ports.services, { record, target, context })), cost };
  } catch (error) {
    const reason = error instanceof ToolError ? error.message : formatFileError(error);
    const output = `The image was created and is in the user's gallery, but could not be saved as a file. ${reason}`;
    return { output, hasFailed: true, cost };
  }
}

interface SaveInput {
  readonly plan: PlannedCall;
  readonly record: ImageRecord;
  readonly context: ToolContext;
}

/**
 * Saves the image in the folder that the user approved.
 * @throws ToolError if the folder now leads to another location
 * @throws if the file cannot be written
 */
async function saveRecord(
  { services, paths, changes }: ImageCallPorts,
  { plan, record, context }: SaveInput,
): Promise<vscode.Uri> {
  const target = await services.saver.saveAfterCheck(record, plan.folder, async (path) => {
    await assertSameFolder(paths, plan.path, path);
    await changes.recordBeforeChange(context, path);
  });
  await changes.recordAfterChange(context, { type: 'create', uri: target });
  return target;
}

/**
 * Checks that a path is still in the folder that the user approved. The file name may differ: its extension depends on
 * the received format, and another file may have the planned name.
 * @throws ToolError if the folder differs
 */
async function assertSameFolder(
  paths: PathResolver,
  plannedPath: ResolvedPath,
  target: vscode.Uri,
): Promise<void> {
  const { facts } = await paths.resolvePath(toToolPath(target));
  const isUnchanged =
    facts.kind === 'missing' &&
    !facts.isLink &&
    facts.isRealPathInWorkspace === plannedPath.facts.isRealPathInWorkspace &&
    posix.dirname(facts.realPath) === posix.dirname(plannedPath.facts.realPath);
  if (!isUnchanged)
    throw new ToolError('refused-path', 'The folder leads to another place than before.');
}

async function toToolResult(
  { gallery }: ImageServices,
  { record, target, context }: { record: ImageRecord; target: vscode.Uri; context: ToolContext },
): Promise<ToolResult> {
  const label = vscode.workspace.asRelativePath(target);
  const text = formatSavedImage(record, label);
  if (!context.supportsVision) return { output: text, target: label };
  if (record.bytes > maxReturnedBytes) {
    return { output: `${text} It is too large to be shown to you.`, target: label };
  }
  const data = (await readFile(gallery.getImagePath(record))).toString('base64');
  const mediaType: ToolImage['mediaType'] = `image/${record.format}`;
  return { output: text, target: label, images: [{ mediaType, data }] };
}

/** Returns the absolute path of a file, which names the same file whatever the workspace folders are called. */
const toToolPath = ({ scheme, fsPath, path }: vscode.Uri): string =>
  scheme === 'file' ? fsPath : path;
