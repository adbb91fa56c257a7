import { expect, test } from 'vitest';
import { createImageView } from '../../../test/support/webview-page/studio-states.ts';
import { describeImage as formatLabel } from './image-actions.ts';

test('the accessible label of a blurred image contains the moderation text only once, even if it equals the state', () => {
  const moderationText = 'Blurred by safe mode';
  const label = formatLabel(createImageView(0, { blurred: true, moderationText }));
  expect(label.split(moderationText)).toHaveLength(2);
});
