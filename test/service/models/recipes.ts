import { chatRecipes } from './chat-recipes.ts';
import { commitMessageRecipe } from './commit-recipe.ts';
import { completeCode } from './completion/complete-code.ts';
import { hasInfillRequest } from './completion/infill-request.ts';
import { editInPlaceRecipe } from './edit-recipe.ts';
import type { Recipe } from './request.ts';
import { createSchemaValue } from './schema-values.ts';
import { summaryRecipe } from './summary-recipe.ts';
import { toolResultsRecipe, toolUseRecipe } from './tool-use.ts';
import { describeImages } from './vision.ts';
import { answerFromWeb } from './answer-from-web.ts';

/** Recipe for infill requests, and for requests to code models without a system message. */
const codeCompletionRecipe: Recipe = {
  name: 'code completion',
  matchesRequest: ({ text, body, call }) =>
    hasInfillRequest(text) ||
    (call.model.completesCode && body.messages.every(({ role }) => role !== 'system')),
  createReply: ({ body, call }) => completeCode(body, call.misbehavior),
};

/** Recipes of the scripted models, in order of precedence. */
export const recipes: readonly Recipe[] = [
  editInPlaceRecipe,
  commitMessageRecipe,
  summaryRecipe,
  codeCompletionRecipe,
  toolUseRecipe,
  {
    name: 'JSON',
    matchesRequest: ({ body: { response_format: format } }) =>
      format !== undefined && format.type !== 'text',
    createReply: ({ body: { response_format: format }, question }) =>
      JSON.stringify(
        format?.type === 'json_schema'
          ? createSchemaValue(format.json_schema.schema ?? {}, { text: question })
          : { answer: question.slice(0, 200) },
      ),
  },
  toolResultsRecipe,
  {
    name: 'images',
    matchesRequest: ({ images }) => images.length > 0,
    createReply: ({ images }) => describeImages(images),
  },
  {
    name: 'Web search',
    matchesRequest: ({ searchResults }) =>
      searchResults.citations.length + searchResults.unreadUrls.length > 0,
    createReply: answerFromWeb,
  },
  ...chatRecipes,
];
