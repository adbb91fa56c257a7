export { estimateTokens } from '../base/token-estimate.ts';
