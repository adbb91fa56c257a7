import { connect } from 'node:net';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { postJson, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

/** Creates an image with a dark left half and an orange right half. */
async function createTwoColorImage(
  width = 400,
  height = 300,
  format: 'png' | 'jpeg' | 'webp' = 'png',
) {
  const leftHalf = {
    create: { width: width / 2, height, channels: 3, background: '#203040' },
  } as const;
  const background = '#e09050';
  return sharp({ create: { width, height, channels: 3, background } })
    .composite([{ input: leftHalf, left: 0, top: 0 }])
    .toFormat(format)
    .toBuffer();
}

async function createPlainImage(width: number, height: number): Promise<Buffer> {
  const background = { r: 9, g: 99, b: 199 };
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

const svgText = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>';

const encodeBase64 = (file: Buffer): string => file.toString('base64');

const postImageRequest = (service: LocalService, path: string, body: unknown): Promise<Response> =>
  postJson(service, { path: `/image/${path}`, body });

async function readFile(reply: Response): Promise<Buffer> {
  expect(reply.headers.get('content-type')).toMatch(/^(?:image|application)\//);
  const file = Buffer.from(await reply.arrayBuffer());
  expect([reply.status, reply.status === 200 ? '' : file.toString()]).toEqual([200, '']);
  return file;
}

/** Returns red, green, blue and opacity at a position, which is given as fractions of width and height. */
async function readColorAt(
  file: Buffer,
  xRatio: number,
  yRatio: number,
): Promise<readonly number[]> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [x, y] = [Math.floor(info.width * xRatio), Math.floor(info.height * yRatio)];
  return [...data.subarray((y * info.width + x) * 4, (y * info.width + x + 1) * 4)];
}

const computeBrightness = ([red = 0, green = 0, blue = 0]: readonly number[]): number =>
  red + green + blue;

function createForm(
  fields: Readonly<Record<string, string | Buffer | readonly Buffer[]>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const fieldValue of Array.isArray(value) ? value : [value]) {
      if (typeof fieldValue === 'string') form.append(name, fieldValue);
      else form.append(name, new Blob([new Uint8Array(fieldValue)]), 'image');
    }
  }
  return form;
}

function sendForm(service: LocalService, path: string, form: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return fetch(`${service.baseUrl}/image/${path}`, { method: 'POST', headers, body: form });
}

describe('POST /image/upscale', () => {
  test.each([
    ['the default scale of 2', undefined, 800, 600],
    ['a scale of 2', 2, 800, 600],
    ['a scale of 4', 4, 1600, 1200],
  ])('enlarges the image with %s', async (_, scale, width, height) => {
    const service = await startTestService();
    const image = encodeBase64(await createTwoColorImage());
    const reply = await postImageRequest(service, 'upscale', {
      image,
      scale,
      enhance: true,
      replication: 1,
    });
    const file = await readFile(reply);
    expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width, height });
    expect(computeBrightness(await readColorAt(file, 0.1, 0.5))).toBeLessThan(200);
    expect(computeBrightness(await readColorAt(file, 0.9, 0.5))).toBeGreaterThan(400);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-service-model-id': 'enlarger',
      'x-service-is-content-violation': 'false',
      'x-ratelimit-limit-requests': '20',
    });
    const { charges } = await service.control.getAccounts();
    expect(charges).toMatchObject([{ diem: scale === 4 ? 80_000 : 20_000 }]);
  });

  test('reduces the scale if the result would exceed the limit', async () => {
    const image = encodeBase64(await createPlainImage(4000, 3000));
    const file = await readFile(
      await postImageRequest(await startTestService(), 'upscale', {
        image,
        scale: 4,
        creativity: 0,
      }),
    );
    const { width, height } = await sharp(file).metadata();
    expect(width * height).toBeLessThanOrEqual(16_777_216);
    expect(width * height).toBeGreaterThan(16_700_000);
  });

  test('clamps creativity to the range 0.02 to 1, which changes the image', async () => {
    const service = await startTestService();
    const image = encodeBase64(await createTwoColorImage());
    const files = [];
    for (const creativity of [-1, 0, 0.02, 5]) {
      files.push(
        encodeBase64(
          await readFile(await postImageRequest(service, 'upscale', { image, creativity })),
        ),
      );
    }
    expect(files[0]).toBe(files[1]);
    expect(files[1]).not.toBe(files[2]);
    expect(files[2]).toBe(files[3]);
  });

  test.each([
    ['no image', {}, 400, 'Required'],
    ['an unsupported scale', { scale: 3 }, 400, 'Invalid enum value'],
    ['an empty image', { image: '' }, 400, 'did not pass validation checks.'],
    ['an image that is not base64', { image: '%%%' }, 400, 'did not pass validation checks.'],
    [
      'an SVG image',
      { image: encodeBase64(Buffer.from(svgText)) },
      400,
      'did not pass validation checks.',
    ],
    [
      'an image of 27 MB',
      { image: encodeBase64(Buffer.alloc(27_000_000)) },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['more bytes than the size limit', { image: 'a'.repeat(37_000_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('rejects a body with %s', async (_, body, status, text) => {
    const reply = await postImageRequest(await startTestService(), 'upscale', body);
    expect(reply.status).toBe(status);
    expect(await reply.text()).toContain(text);
  });

  test('rejects a form of 40 MB, but still sends a complete reply', async () => {
    const service = await startTestService();
    const url = new URL(`${service.baseUrl}/image/upscale`);
    const socket = connect(Number(url.port), url.hostname);
    socket.write(
      [
        `POST ${url.pathname} HTTP/1.1`,
        `Host: ${url.host}`,
        `Authorization: Bearer ${service.apiKey}`,
        'Content-Type: multipart/form-data; boundary=form',
        'Content-Length: 40000000',
        'Connection: close\r\n\r\n',
      ].join('\r\n'),
    );
    // Like many clients, reads the reply only after the whole body is sent.
    for (let count = 0; count < 40; count++) {
      await new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.write(Buffer.alloc(1_000_000), resolve);
      });
    }
    const reply = (await socket.toArray()).join('');
    expect(reply).toMatch(/^HTTP\/1\.1 413 /);
    expect(reply).toContain('PAYLOAD_TOO_LARGE');
  });

  test.each([
    [255, 257, 400, 'IMAGE_TOO_SMALL'],
    [256, 256, 200, ''],
    [4097, 4097, 422, 'IMAGE_TOO_LARGE'],
  ])(
    'for an image of %i × %i pixels returns the status %i',
    async (width, height, status, code) => {
      const image = encodeBase64(await createPlainImage(width, height));
      const reply = await postImageRequest(await startTestService(), 'upscale', { image });
      expect(reply.status).toBe(status);
      expect(await reply.text()).toContain(code);
    },
  );
});

describe('POST /image/edit', () => {
  const requestEditedFile = async (prompt: string, change: object = {}): Promise<Buffer> => {
    const image = encodeBase64(await createTwoColorImage());
    return readFile(
      await postImageRequest(await startTestService(), 'edit', { image, prompt, ...change }),
    );
  };

  test('makes the image brighter or darker', async () => {
    const initialBrightness = computeBrightness(
      await readColorAt(await createTwoColorImage(), 0.9, 0.5),
    );
    const darkerBrightness = computeBrightness(
      await readColorAt(await requestEditedFile('Make it darker'), 0.9, 0.5),
    );
    const brighterBrightness = computeBrightness(
      await readColorAt(await requestEditedFile('a bit brighter, please'), 0.9, 0.5),
    );
    expect(darkerBrightness).toBeLessThan(initialBrightness - 50);
    expect(brighterBrightness).toBeGreaterThan(initialBrightness + 50);
  });

  test.each(['greyscale', 'Turn it black and white', 'in gray'])(
    'converts the image to grayscale for the instruction "%s"',
    async (prompt) => {
      const [red = 0, green = 0, blue = 0] = await readColorAt(
        await requestEditedFile(prompt),
        0.9,
        0.5,
      );
      expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(4);
    },
  );

  test.each([
    ['Make it red', 0],
    ['make everything green', 1],
    ['a blue image', 2],
  ])('tints the image for the instruction "%s"', async (prompt, channel) => {
    const color = (await readColorAt(await requestEditedFile(prompt), 0.9, 0.5)).slice(0, 3);
    expect(color.indexOf(Math.max(...color))).toBe(channel);
  });

  test.each([
    ['Mirror it', [400, 300], [0.1, 0.5]],
    ['flip horizontally', [400, 300], [0.1, 0.5]],
    ['Rotate by 180 degrees', [400, 300], [0.1, 0.5]],
    ['Rotate it', [300, 400], [0.5, 0.9]],
    ['rotate left', [300, 400], [0.5, 0.1]],
    ['flip', [400, 300], [0.9, 0.5]],
  ] as const)(
    'flips or rotates the image for the instruction "%s"',
    async (prompt, size, [xRatio, yRatio]) => {
      const file = await requestEditedFile(prompt);
      const { width, height } = await sharp(file).metadata();
      expect([width, height]).toEqual(size);
      expect(computeBrightness(await readColorAt(file, xRatio, yRatio))).toBeGreaterThan(400);
      expect(computeBrightness(await readColorAt(file, 1 - xRatio, 1 - yRatio))).toBeLessThan(200);
    },
  );

  test('applies blur, sepia and inversion as instructed', async () => {
    const blurredBrightness = computeBrightness(
      await readColorAt(await requestEditedFile('blur'), 0.5, 0.5),
    );
    expect(blurredBrightness).toBeGreaterThan(200);
    expect(blurredBrightness).toBeLessThan(400);
    const [red = 0, green = 0, blue = 0] = await readColorAt(
      await requestEditedFile('sepia'),
      0.1,
      0.5,
    );
    expect(red).toBeGreaterThan(green);
    expect(green).toBeGreaterThan(blue);
    expect(await readColorAt(await requestEditedFile('Invert it'), 0.1, 0.5)).toEqual([
      223, 207, 191, 255,
    ]);
  });

  test('applies the same change each time for the same unknown instruction', async () => {
    const castleImage = await requestEditedFile('Add a castle');
    expect(castleImage.equals(await requestEditedFile('Add a castle'))).toBe(true);
    expect(castleImage.equals(await requestEditedFile('Add a dragon'))).toBe(false);
    expect(castleImage.equals(await createTwoColorImage())).toBe(false);
  });

  test.each([
    [{}, 'png', 400, 300],
    [{ output_format: 'jpg' }, 'jpeg', 400, 300],
    [{ output_format: 'webp', aspect_ratio: '16:9' }, 'webp', 400, 225],
    [{ aspect_ratio: '9:16' }, 'png', 225, 400],
    [{ model: 'retouch-solo' }, 'png', 1024, 768],
    [{ modelId: 'retouch-solo', resolution: '2K' }, 'jpeg', 2048, 1536],
    [{ model: 'retouch-solo', resolution: '2K', output_format: 'png' }, 'png', 2048, 1536],
  ])(
    'with the additional fields %j returns a %s image of %i × %i pixels',
    async (change, format, ...size) => {
      const file = await requestEditedFile('darker', change);
      const metadata = await sharp(file).metadata();
      expect([metadata.format, metadata.width, metadata.height]).toEqual([format, ...size]);
    },
  );

  test.each(['png', 'jpeg', 'webp'] as const)(
    'accepts a %s image as base64 or data URL',
    async (format) => {
      const service = await startTestService();
      const image = encodeBase64(await createTwoColorImage(400, 300, format));
      for (const source of [image, `data:image/${format};base64,${image}`]) {
        await readFile(
          await postImageRequest(service, 'edit', { image: source, prompt: 'darker' }),
        );
      }
    },
  );

  test('downloads images only from this machine', async () => {
    const service = await startTestService();
    const file = encodeBase64(await createTwoColorImage());
    const fault = { kind: 'body', base64: file, contentType: 'image/png' } as const;
    await service.control.injectFault({ match: { path: '/styles' }, fault });
    const requestEdit = (image: string): Promise<Response> =>
      postImageRequest(service, 'edit', { image, prompt: 'darker' });
    await readFile(await requestEdit(`${service.baseUrl}/image/styles`));
    expect((await requestEdit('https://example.org/a.png')).status).toBe(400);
    expect((await requestEdit('http://')).status).toBe(400);
  });

  test('moderates prompts as POST /image/generate does', async () => {
    const service = await startTestService();
    const image = encodeBase64(await createTwoColorImage());
    const requestEdit = (prompt: string, overrides: object = {}): Promise<Response> =>
      postImageRequest(service, 'edit', { image, prompt, ...overrides });
    const blurredReply = await requestEdit('A nude, darker');
    expect(blurredReply.headers.get('x-service-is-blurred')).toBe('true');
    const unblurredReply = await requestEdit('A nude, darker', { safe_mode: false });
    expect(unblurredReply.headers.get('x-service-is-blurred')).toBe('false');
    expect((await readFile(unblurredReply)).equals(await readFile(blurredReply))).toBe(false);
    const blackReply = await requestEdit('forbidden');
    expect(blackReply.headers.get('x-service-is-content-violation')).toBe('true');
    expect(await readColorAt(await readFile(blackReply), 0.9, 0.5)).toEqual([0, 0, 0, 255]);
    expect((await service.control.getAccounts()).charges).toHaveLength(2);
  });

  test.each([
    ['an unknown field', { quality: 'high' }, 400, "Unrecognized key(s) in object: 'quality'"],
    ['an empty prompt', { prompt: '' }, 400, 'String must contain at least 1 character(s)'],
    ['no image', { image: undefined }, 400, 'Required'],
    ['an unknown aspect ratio', { aspect_ratio: '5:4' }, 400, "received '5:4'"],
    [
      'a resolution for a model without resolutions',
      { resolution: '1K' },
      400,
      'resolution is not supported by this model',
    ],
    [
      'a resolution that the model does not support',
      { model: 'retouch-fuse', resolution: '4K' },
      400,
      "Expected '1K' | '2K', received '4K'",
    ],
    [
      'a prompt that is too long for the model',
      { model: 'retouch-solo', prompt: 'x'.repeat(1501) },
      400,
      'at most 1500 character(s)',
    ],
    [
      'a model that cannot edit images',
      { model: 'painter-turbo' },
      404,
      'Specified model not found: painter-turbo',
    ],
  ])('rejects a body with %s', async (_, change, status, text) => {
    const image = encodeBase64(await createTwoColorImage());
    const body = { image, prompt: 'darker', ...change };
    const reply = await postImageRequest(await startTestService(), 'edit', body);
    expect(reply.status).toBe(status);
    expect(await reply.text()).toContain(text);
  });

  test('rejects a truncated image', async () => {
    const file = await sharp(await createTwoColorImage(800, 800, 'jpeg'))
      .composite([
        {
          input: await sharp(await createTwoColorImage(400, 400))
            .blur(9)
            .toBuffer(),
        },
      ])
      .jpeg({ quality: 100 })
      .toBuffer();
    const image = encodeBase64(file.subarray(0, file.length / 2));
    const reply = await postImageRequest(await startTestService(), 'edit', {
      image,
      prompt: 'darker',
    });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ code: 'CORRUPTED_IMAGE' });
  });

  test.each([
    ['the default model', 0.04, {}],
    ['an enhanced prompt', 0.08, { enhance_prompt: true }],
    ['a 4K image of the model retouch-solo', 0.15, { model: 'retouch-solo', resolution: '4K' }],
  ])('for %s charges $%d', async (_, cost, change) => {
    const service = await startTestService();
    const image = encodeBase64(await createTwoColorImage());
    await readFile(await postImageRequest(service, 'edit', { image, prompt: 'darker', ...change }));
    const { charges } = await service.control.getAccounts();
    expect(charges.map(({ diem, bundled, usd }) => diem + bundled + usd)).toEqual([
      Math.round(cost * 1e6),
    ]);
  });

  test('charges nothing for a failed request, and rejects a request from an account without funds', async () => {
    const service = await startTestService();
    await service.control.changeAccount({ usd: 0, bundled: 0, stakedDiem: 0 });
    const image = encodeBase64(await createTwoColorImage());
    const replyPromises = ['edit', 'upscale'].map((path) =>
      postImageRequest(service, path, { image, prompt: 'x' }),
    );
    const replies = [
      ...(await Promise.all(replyPromises)),
      await postImageRequest(service, 'background-remove', { image }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([402, 402, 402]);
  });
});

describe('POST /image/multi-edit', () => {
  test('joins the images side by side, and applies the instruction to the result', async () => {
    const service = await startTestService();
    const images = [
      encodeBase64(await createPlainImage(300, 300)),
      encodeBase64(await createTwoColorImage(800, 600)),
    ];
    const file = await readFile(
      await postImageRequest(service, 'multi-edit', { images, prompt: 'mirror' }),
    );
    expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 700, height: 300 });
    expect(await readColorAt(file, 0.9, 0.5)).toEqual([9, 99, 199, 255]);
    expect(computeBrightness(await readColorAt(file, 0.05, 0.5))).toBeGreaterThan(400);
  });

  test.each([
    [2, 'the model retouch-fuse in low quality', 0.04, { modelId: 'retouch-fuse', quality: 'low' }],
    [4, 'the model retouch-fuse in 2K', 0.32, { modelId: 'retouch-fuse', resolution: '2K' }],
    [3, 'the default model', 0.04, {}],
  ])('for %i images and %s charges $%d', async (count, _, cost, change) => {
    const service = await startTestService();
    const image = encodeBase64(await createPlainImage(300, 300));
    const images = Array.from({ length: count }, () => image);
    await readFile(
      await postImageRequest(service, 'multi-edit', { images, prompt: 'darker', ...change }),
    );
    const { charges } = await service.control.getAccounts();
    expect(charges.map(({ diem, bundled, usd }) => diem + bundled + usd)).toEqual([
      Math.round(cost * 1e6),
    ]);
  });

  test.each([
    [
      'four images for a model that accepts three',
      {},
      4,
      'Array must contain at most 3 element(s)',
    ],
    [
      'two images for a model that accepts one',
      { modelId: 'retouch-solo' },
      2,
      'Array must contain at most 1 element(s)',
    ],
    [
      'seven images for a model that accepts six',
      { modelId: 'retouch-fuse' },
      7,
      'Array must contain at most 6 element(s)',
    ],
    ['a body without images', {}, 0, 'Array must contain at least 1 element(s)'],
    [
      'the field `model` in place of `modelId`',
      { model: 'retouch-fuse' },
      2,
      "Unrecognized key(s) in object: 'model'",
    ],
    ['an unknown quality', { quality: 'best' }, 2, "received 'best'"],
  ])('rejects %s', async (_, change, count, text) => {
    const image = encodeBase64(await createPlainImage(300, 300));
    const images = Array.from({ length: count }, () => image);
    const body = { images, prompt: 'darker', ...change };
    const reply = await postImageRequest(await startTestService(), 'multi-edit', body);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(text);
  });
});

describe('POST /image/background-remove', () => {
  /** Creates an orange disc on a slightly uneven background, with a spot of the background color in its center. */
  async function createDiscImage(): Promise<Buffer> {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300" fill="#3060a0"/><rect width="300" height="150" fill="#3868a8"/><circle cx="150" cy="150" r="100" fill="#f08030"/><circle cx="150" cy="150" r="20" fill="#3060a0"/></svg>`;
    return sharp(Buffer.from(svg)).flatten().png().toBuffer();
  }

  test('makes the background transparent only where it is connected to the border', async () => {
    const service = await startTestService();
    const reply = await postImageRequest(service, 'background-remove', {
      image: encodeBase64(await createDiscImage()),
    });
    expect(reply.headers.get('content-type')).toBe('image/png');
    expect(reply.headers.get('x-service-model-id')).toBe('background-remover');
    const file = await readFile(reply);
    expect((await sharp(file).metadata()).hasAlpha).toBe(true);
    for (const [xRatio, yRatio] of [
      [0.02, 0.02],
      [0.98, 0.98],
      [0.5, 0.05],
    ] as const) {
      expect((await readColorAt(file, xRatio, yRatio))[3]).toBe(0);
    }
    expect(await readColorAt(file, 0.5, 0.3)).toEqual([240, 128, 48, 255]);
    expect(await readColorAt(file, 0.5, 0.5)).toEqual([48, 96, 160, 255]);
    expect((await service.control.getAccounts()).charges).toMatchObject([{ diem: 20_000 }]);
  });

  test('accepts a data URL in `image_url`', async () => {
    const image_url = `data:image/png;base64,${encodeBase64(await createDiscImage())}`;
    await readFile(
      await postImageRequest(await startTestService(), 'background-remove', { image_url }),
    );
  });

  test.each([
    ['no image', {}],
    ['both `image` and `image_url`', { image: 'x', image_url: 'x' }],
  ])('rejects a body with %s', async (_, body) => {
    const reply = await postImageRequest(await startTestService(), 'background-remove', body);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain('Exactly one of image and image_url is required');
  });
});

describe('form requests for image edits', () => {
  test('return the same images as JSON requests', async () => {
    const service = await startTestService();
    const file = await createTwoColorImage();
    const image = encodeBase64(file);
    const equivalentBodies: [string, object, Parameters<typeof createForm>[0]][] = [
      ['upscale', { image, scale: 4, creativity: 0 }, { image: file, scale: '4', creativity: '0' }],
      [
        'edit',
        { image, prompt: 'A nude, darker', safe_mode: false },
        { image: file, prompt: 'A nude, darker', safe_mode: 'false' },
      ],
      [
        'multi-edit',
        { images: [image, image], prompt: 'sepia' },
        { images: [file, file], prompt: 'sepia' },
      ],
      ['background-remove', { image }, { image: file }],
    ];
    for (const [path, body, parts] of equivalentBodies) {
      const jsonImage = await readFile(await postImageRequest(service, path, body));
      const formImage = await readFile(await sendForm(service, path, createForm(parts)));
      expect(formImage.equals(jsonImage), path).toBe(true);
    }
  });

  test('are recorded in the request log without file bytes', async () => {
    const service = await startTestService();
    const image = await createTwoColorImage();
    await sendForm(service, 'edit', createForm({ prompt: 'darker', image }));
    const [{ body } = {}] = await service.control.getRequests();
    expect(body).toEqual([
      { name: 'prompt', value: 'darker' },
      { name: 'image', bytes: image.length },
    ]);
  });

  test('are rejected if a field is unknown or invalid, or if the form is truncated', async () => {
    const service = await startTestService();
    const image = await createTwoColorImage();
    const formWithUnknownField = createForm({ image, prompt: 'darker', colour: 'red' });
    const unknownFieldReply = await sendForm(service, 'edit', formWithUnknownField);
    expect(unknownFieldReply.status).toBe(400);
    expect(await unknownFieldReply.text()).toContain("Unrecognized key(s) in object: 'colour'");
    const scale = await sendForm(service, 'upscale', createForm({ image, scale: 'two' }));
    expect(scale.status).toBe(400);
    const init = { headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    const truncatedFormReply = await postJson(
      service,
      { path: '/image/edit', body: '--x\r\nnonsense' },
      init,
    );
    expect(truncatedFormReply.status).toBe(400);
    expect(await truncatedFormReply.json()).toEqual({ error: 'Invalid multipart request' });
  });
});
