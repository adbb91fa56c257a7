import type { Page } from 'playwright-core';
import { dictationSampleRate } from '../../../src/speech/dictation-protocol.ts';
import { decodePcm } from '../../service/audio/samples.ts';
import { decodeSpeech } from '../../service/audio/tones.ts';
import { eventually } from '../../support/eventually.ts';

/** The dictation page in a browser tab. */
export class DictationPage {
  readonly page: Page;
  /** PCM samples that the page sent, one entry per request, oldest first. */
  readonly #sentSamples: Buffer[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.endsWith('/api/audio')) return;
      const { samples } = request.postDataJSON() as { readonly samples: string };
      this.#sentSamples.push(Buffer.from(samples, 'base64'));
    });
  }

  /**
   * Records until `expectedText` can be decoded from the recorded sound, and then stops. The simulated microphone
   * repeats its sound, so a repetition contains the words even if a busy machine drops some of the audio.
   */
  async recordUntilUnderstood(expectedText: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Record' }).click();
    await this.page.getByText('Recording', { exact: true }).waitFor();
    await eventually(async () => {
      const text = decodeSpeech(decodePcm(Buffer.concat(this.#sentSamples)), dictationSampleRate);
      if (!text.includes(expectedText))
        throw new Error(`The recording so far: ${JSON.stringify(text)}`);
    });
    await this.page.getByRole('button', { name: 'Stop and transcribe' }).click();
  }
}
