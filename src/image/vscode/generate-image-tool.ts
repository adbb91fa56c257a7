import * as vscode from 'vscode';
import type { Tool, ToolArguments } from '../../agent/tool.ts';
import type { ToolFactory, ToolPorts } from '../../agent/vscode/agent-runtime.ts';
import type { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { GenerateImageCall } from './generate-image-call.ts';
import type { ImageRuntime } from './image-runtime.ts';

type ImageToolPlanner = Pick<ImageRuntime, 'planCall'>;

/**
 * Creates a function that returns the agent's image tool. Returns no tool without a workspace folder or an image model.
 */
export const imageTools =
  ({ models }: Pick<Host, 'models'>, images: Lazy<ImageToolPlanner>): ToolFactory =>
  (ports) => {
    const generateImage = createGenerateImageTool(() => images.get(), ports);
    return () => {
      const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
      const hasModel = models.models.some(({ type }) => type === 'image');
      return hasFolder && hasModel ? [generateImage] : [];
    };
  };

/**
 * Creates the agent's tool that generates an image and saves it as a file. The model cannot choose the file name. Each
 * call costs money.
 */
function createGenerateImageTool(images: () => Promise<ImageToolPlanner>, ports: ToolPorts): Tool {
  const calls = new WeakMap<ToolArguments, GenerateImageCall>();
  return {
    name: 'generate_image',
    kind: 'edit',
    description:
      'Creates an image from a prompt and saves it as a new workspace file; returns its path. Each image costs the user money: call it only when the user wants one.',
    parameters: {
      type: 'object',
      properties: {
        prompt: {
          type: 'string',
          description: 'What the image shows, in detail: subject, style, light, colors.',
        },
        negative_prompt: { type: 'string', description: 'What must not be in it.' },
        aspect_ratio: { type: 'string', description: 'Such as 1:1, 16:9 or 9:16.' },
        size: { type: 'string', description: 'In pixels, as 1024x768, or as 1K, 2K or 4K.' },
        model: {
          type: 'string',
          description: "An image model id. Omit it for the user's choice.",
        },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    async plan(args) {
      const call = await (await images()).planCall(ports, args);
      calls.set(args, call);
      return call.plan;
    },
    run(args, context) {
      const call = calls.get(args);
      // The user has not confirmed a call without a plan.
      if (call === undefined) throw new ToolError('failed', 'The call was not planned.');
      return call.run(context);
    },
  };
}
