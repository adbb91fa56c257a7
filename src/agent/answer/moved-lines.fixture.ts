/** Edits from the Git histories of two repositories that also change the indentation of the edited lines. */
export const movedLineCases: readonly {
  /** Description of the replacement lines, for the test title. */
  readonly name: string;
  readonly language: string;
  readonly before: readonly string[];
  readonly original: readonly string[];
  readonly answer: readonly string[];
  readonly after: readonly string[];
}[] = [
  {
    name: 'a closing brace with a new clause',
    language: 'typescript',
    before: [
      '    // Only an error before the response, because reading the response never throws.',
      '    yield [createFailedEnd(toServiceError(error).failure)];',
    ],
    original: ['    return;'],
    answer: ['  } finally {', "    options.signal.removeEventListener('abort', onAbort);"],
    after: ['  }', '  yield* readChatStream(response, {'],
  },
  {
    name: 'the end of a method and the start of another',
    language: 'typescript',
    before: ['    this.#openChats.delete(id);', '    this.#onDidRemoveEmitter.fire(id);'],
    original: ['    await this.files.remove(id);'],
    answer: [
      '  }',
      '',
      '  /** Removes everything about the conversation except its file. */',
      '  async #removeUnsent(id: string): Promise<void> {',
    ],
    after: ["    this.#drafts.set(id, '');", "    this.#storedAttachments.set(id, '');"],
  },
  {
    name: 'the end of a constructor and a getter',
    language: 'typescript',
    before: ['    this.#post = post;', '    addStyle(style);'],
    original: [
      "    this.element.addEventListener('keydown', (event) => this.#onKey(event));",
      "    this.element.addEventListener('focusout', (event) => this.#onBlur(event));",
    ],
    answer: ['  }', '', '  get element(): HTMLElement {', '    return this.#popover.element;'],
    after: ['  }', '  toggle(): void {'],
  },
  {
    name: 'labels of a switch statement',
    language: 'typescript',
    before: ["    case 'unknown-field':", "    case 'type':"],
    original: ["      return vscode.l10n.t('The type is INFERENCE or ADMIN.');"],
    answer: [
      "    case 'period':",
      "    case 'privacy':",
      "      return vscode.l10n.t('This value can’t be used: {0}.', problem);",
    ],
    after: [
      "    case 'description':",
      "      return vscode.l10n.t('A description has at most 64 characters on one line.');",
    ],
  },
  {
    name: 'a rule at the top level of a style sheet',
    language: 'css',
    before: ['  }', '}'],
    original: [
      '  .web-search.off,',
      '  .composer-row:has(.web-search:not(.off)) .context-meter:not(.full) {',
    ],
    answer: ['@container composer (width < 220px) {', '  .mode-button > .codicon {'],
    after: ['    display: none;', '  }'],
  },
  {
    name: 'a shorter block of a function',
    language: 'python',
    before: ['            if verify is not True:', '                cert_loc = verify'],
    original: [
      '                if not os.path.exists(cert_loc):',
      '                    raise OSError(',
      '                        f"Could not find a suitable TLS CA certificate bundle, "',
      '                        f"invalid path: {cert_loc}"',
      '                    )',
    ],
    answer: [
      '            if not cert_loc:',
      '                cert_loc = extract_zipped_paths(DEFAULT_CA_BUNDLE_PATH)',
    ],
    after: [
      '                if not os.path.isdir(cert_loc):',
      '                    conn.ca_certs = cert_loc',
    ],
  },
  {
    name: 'a rule that replaces a nested rule',
    language: 'css',
    before: ['img.logo {margin-left: -20px!important;}'],
    original: ['  .native-details {', '    margin: 0;', '  }'],
    answer: ['div#searchbox h3 {text-transform: capitalize;}'],
    after: ['  .native-main {', '    flex-direction: column;'],
  },
  {
    name: 'a function that replaces a statement',
    language: 'python',
    before: ['            break', '        return WrappedSocket(cnx, sock)'],
    original: ['    return WrappedSocket(cnx, sock)'],
    answer: [
      'def _verify_callback(cnx, x509, err_no, err_depth, return_code):',
      '    return err_no == 0',
    ],
    after: [],
  },
  {
    name: 'directives that replace an indented block of a document',
    language: 'restructuredtext',
    before: ['Encodings', '---------'],
    original: ['    >>> requests.codes.teapot', '    418'],
    answer: [
      '.. autofunction:: requests.utils.get_encodings_from_content',
      '.. autofunction:: requests.utils.get_encoding_from_headers',
      '.. autofunction:: requests.utils.get_unicode_from_response',
    ],
    after: ["    >>> requests.codes['\\o/']", '    200'],
  },
  {
    name: 'a statement with corrected indentation',
    language: 'python',
    before: ["            content_type = 'application/json'", '            try:'],
    original: ['              body = complexjson.dumps(json, allow_nan=False)'],
    answer: ['                body = complexjson.dumps(json, allow_nan=False)'],
    after: [
      '            except ValueError as ve:',
      '              raise InvalidJSONError(ve, request=self)',
    ],
  },
  {
    name: 'lines that move into a block',
    language: 'python',
    before: [
      '        from urllib3.contrib import pyopenssl',
      '        pyopenssl.inject_into_urllib3()',
    ],
    original: [
      '    # Check cryptography version',
      '    from cryptography import __version__ as cryptography_version',
      '    _check_cryptography(cryptography_version)',
    ],
    answer: [
      '        # Check cryptography version',
      '        from cryptography import __version__ as cryptography_version',
      '        _check_cryptography(cryptography_version)',
    ],
    after: ['except ImportError:', '    pass'],
  },
  {
    name: 'list items that replace comments',
    language: 'yaml',
    before: ['  # - "2.6"', '  - "2.7"'],
    original: ['#  - "3.4"', '#  - "3.5"'],
    answer: ['  - "3.4"', '  - "3.5"'],
    after: ['  - "3.6"', '  # - "3.7-dev"'],
  },
  {
    name: 'statements that move into a block',
    language: 'python',
    before: [
      "            auth = HTTPDigestAuth('user', 'pass')",
      "            url = httpbin('digest-auth', 'auth', 'user', 'pass', authtype)",
    ],
    original: [
      '        r = requests.get(url, auth=auth, stream=True)',
      "        assert r.raw.read() != b''",
    ],
    answer: [
      '            r = requests.get(url, auth=auth, stream=True)',
      "            assert r.raw.read() != b''",
    ],
    after: [
      '        r = requests.get(url, auth=auth, stream=False)',
      "        assert r.raw.read() == b''",
    ],
  },
  {
    name: 'an element that moves into its parent',
    language: 'html',
    before: [
      '    src="//cdn.carbonads.com/carbon.js?zoneid=1673&serve=C6AILKT&placement=pythonrequestsorg"',
      '    id="_carbonads_js"></script>',
    ],
    original: ['<h3>Translations</h3>'],
    answer: ['  <h3>Translations</h3>'],
    after: ['<ul>', '  <li><a href="http://docs.python-requests.org/">English</a></li>'],
  },
  {
    name: 'a directive that moves out of a note',
    language: 'restructuredtext',
    before: [
      '.. note:: The use of **Python 3** is *highly* preferred over Python 2. Consider upgrading your applications and infrastructure if you find yourself *still* using Python 2 in production today. If you are using Python 3, congratulations — you are indeed a person of excellent taste.',
      '  —*Kenneth Reitz*',
    ],
    original: ['  .. image:: https://farm5.staticflickr.com/4317/35198386374_1939af3de6_k_d.jpg'],
    answer: ['', '.. image:: https://farm5.staticflickr.com/4317/35198386374_1939af3de6_k_d.jpg'],
    after: ['-------------------', '**Behold, the power of Requests**::'],
  },
  {
    name: 'a closing bracket that moves to its statement',
    language: 'python',
    before: [
      '            noncebit = "%s:%s:%s:%s:%s" % (',
      "                nonce, ncvalue, cnonce, 'auth', HA2",
    ],
    original: ['                )'],
    answer: ['            )'],
    after: ['            respdig = KD(HA1, noncebit)', '        else:'],
  },
  {
    name: 'a closing bracket that moves to its block',
    language: 'python',
    before: [
      "            implementation_version = ''.join([",
      '                implementation_version, sys.pypy_version_info.releaselevel',
    ],
    original: ['                ])'],
    answer: ['            ])'],
    after: [
      "    elif implementation == 'Jython':",
      '        implementation_version = platform.python_version()  # Complete Guess',
    ],
  },
  {
    name: 'a comment that moves to the start of its line',
    language: 'python',
    before: ['# 3 : very likely', 'Latin1ClassModel = ('],
    original: ['    # UDF OTH ASC ASS ACV ACO ASV ASO'],
    answer: ['# UDF OTH ASC ASS ACV ACO ASV ASO'],
    after: [
      '    0,  0,  0,  0,  0,  0,  0,  0,  # UDF',
      '    0,  3,  3,  3,  3,  3,  3,  3,  # OTH',
    ],
  },
  {
    name: 'a line with spaces in place of a tab',
    language: 'python',
    before: ["    'requests',", "    'requests.packages',"],
    original: ["\t'requests.packages.charade',"],
    answer: ["    'requests.packages.charade',"],
    after: ["    'requests.packages.urllib3',", "    'requests.packages.urllib3.packages',"],
  },
  {
    name: 'a closing quotation mark with spaces in place of a tab',
    language: 'python',
    before: ["            If Tuple, ('cert', 'key') pair.", '        :rtype: requests.Response'],
    original: ['\t"""'],
    answer: ['        """'],
    after: ['        # Create the Request.', '        req = Request('],
  },
  {
    name: 'arguments that are aligned to a longer name',
    language: 'python',
    before: [
      '            response_conn = conn if not release_conn else None',
      "            # Import httplib's response into our own wrapper object",
    ],
    original: [
      '            response = HTTPResponse.from_httplib(httplib_response,',
      '                                                 pool=self,',
      '                                                 connection=response_conn,',
      '                                                 **response_kw)',
    ],
    answer: [
      '            response = self.ResponseCls.from_httplib(httplib_response,',
      '                                                     pool=self,',
      '                                                     connection=response_conn,',
      '                                                     **response_kw)',
    ],
    after: ['            # Everything went great!', '            clean_exit = True'],
  },
  {
    name: 'a string that is aligned to a longer name',
    language: 'python',
    before: ['        if not conn:', '            # Try again'],
    original: [
      '            log.warn("Retrying (%d attempts remain) after connection "',
      '                     "broken by \'%r\': %s" % (retries, err, url))',
    ],
    answer: [
      '            log.warning("Retrying (%d attempts remain) after connection "',
      '                        "broken by \'%r\': %s" % (retries, err, url))',
    ],
    after: [
      '            return self.urlopen(method, url, body, headers, retries - 1,',
      '                                redirect, assert_same_host,',
    ],
  },
  {
    name: 'lines below a new condition',
    language: 'python',
    before: [
      '            prepared_request._cookies.update(self.cookies)',
      '            prepared_request.prepare_cookies(prepared_request._cookies)',
    ],
    original: [
      '            # If we get redirected to a new host, we should strip out any',
      '            # authentication headers.',
      '            original_parsed = urlparse(resp.request.url)',
      '            redirect_parsed = urlparse(url)',
    ],
    answer: [
      "            if 'Authorization' in headers:",
      '                # If we get redirected to a new host, we should strip out any',
      '                # authentication headers.',
      '                original_parsed = urlparse(resp.request.url)',
      '                redirect_parsed = urlparse(url)',
    ],
    after: [
      '            if (original_parsed.hostname != redirect_parsed.hostname and',
      "                   'Authorization' in headers):",
    ],
  },
  {
    name: 'arguments that are aligned to a new bracket',
    language: 'python',
    before: ['    result = u.result', "    if result['encoding']:"],
    original: [
      "        return '%s: %s with confidence %s' % (name,",
      "                                              result['encoding'],",
      "                                              result['confidence'])",
    ],
    answer: [
      "        return '{0}: {1} with confidence {2}'.format(name, result['encoding'],",
      "                                                     result['confidence'])",
    ],
    after: ['    else:', "        return '%s: no result' % name"],
  },
  {
    name: 'an import at another level than the next line',
    language: 'python',
    before: ['from hashlib import md5, sha1', 'from ..exceptions import SSLError'],
    original: ['try:  # Test for SSL features', '    SSLContext = None', '    HAS_SNI = False'],
    answer: [
      'SSLContext = None',
      'HAS_SNI = False',
      'create_default_context = None',
      '',
      'import errno',
      'import ssl',
    ],
    after: ['    import ssl', '    from ssl import wrap_socket, CERT_NONE, PROTOCOL_SSLv23'],
  },
  {
    name: 'an assignment at another level than the next line',
    language: 'python',
    before: ['        :param cert: The SSL certificate to verify.', '        """'],
    original: ["        if url.lower().startswith('https') and verify:"],
    answer: [
      "        if url.lower().startswith('https'):",
      '            if verify:',
      '                cert_loc = None',
    ],
    after: ['            cert_loc = None', '            # Allow self-specified cert location.'],
  },
  {
    name: 'a statement that repeats the next line and an own line',
    language: 'typescript',
    before: [
      '    await send(page, change(approval()));',
      '    expect(await isFocused(composer())).toBe(true);',
    ],
    original: ["    expect(await page.getByRole('status').innerText()).toBe('Run this command?');"],
    answer: [
      "    expect(await page.getByRole('status').innerText()).toBe(",
      "      'Run npm test -- parser. Commands are asked about.',",
      '    );',
      "    await page.keyboard.press('Shift+Tab');",
      "    expect(await isFocused(button('Details'))).toBe(true);",
      "    await page.keyboard.press('Shift+Tab');",
    ],
    after: [
      "    await page.keyboard.press('Shift+Tab');",
      "    expect(await isFocused(button('Deny with a reason'))).toBe(true);",
    ],
  },
  {
    name: 'a corrected escape',
    language: 'python',
    before: [
      '        Headers to include with all requests, unless other headers are given',
      '        explicitly.',
    ],
    original: ['    :param \\**connection_pool_kw:'],
    answer: ['    :param \\\\**connection_pool_kw:'],
    after: [
      '        Additional parameters are used to create fresh',
      '        :class:`urllib3.connectionpool.ConnectionPool` instances.',
    ],
  },
  {
    name: 'a corrected escape below new lines',
    language: 'python',
    before: [
      '            encoding. Otherwise, urllib3 will send the body using the standard',
      '            content-length form. Defaults to False.',
    ],
    original: ['        :param \\**response_kw:'],
    answer: [
      '        :param int body_pos:',
      '            Position to seek to in file-like body in the event of a retry or',
      "            redirect. Typically this won't need to be set because urllib3 will",
      '            auto-populate the value when needed.',
      '',
      '        :param \\\\**response_kw:',
    ],
    after: [
      '            Additional parameters are passed to',
      '            :meth:`urllib3.response.HTTPResponse.from_httplib`',
    ],
  },
];
