/**
 * Edits of real and realistic source files: the lines of a file, a selection and its replacement. Each replacement was
 * written by hand. The format of an entry:
 *
 * - `■ name | language | path | indentation | package`. An entry without a package was written for this corpus.
 * - Lines before the selection, `▼`, the selection, `◆`, the replacement, `▲`, lines after the selection.
 *
 * `→` is a tab, `´` is a backtick and `§` is a dollar sign before a brace.
 *
 * Excerpts with a package are part of that npm package, under its license:
 *
 * - MIT License: react-native (© Meta Platforms, Inc. and affiliates), `@capacitor/ios` (© 2017-present Drifty Co.),
 *   edge-js (© 2012-2025 Tomasz Janczuk), tree-sitter-rust (© 2017 Maxim Sokolov), bootstrap (© 2011-2026
 *   The Bootstrap Authors), katex (© 2013-2020 Khan Academy and other contributors), mocha (© 2011-2026 OpenJS
 *   Foundation and contributors), pino-abstract-transport (© 2021 pino).
 * - Apache License 2.0: ai (© 2023 Vercel, Inc.), sharp (© 2013 Lovell Fuller and contributors).
 * - BSD 2-Clause or Apache License 2.0: packaging, as bundled with node-gyp (© Donald Stufft and individual contributors).
 */
const source = String.raw`
■ java-constants | java | ReactAndroid/src/main/java/com/facebook/react/bridge/BaseJavaModule.java | space 2 | react-native
  public BaseJavaModule() {
    this(null);
  }

  public BaseJavaModule(@Nullable ReactApplicationContext reactContext) {
    mReactApplicationContext = reactContext;
  }

▼
  /**
   * @return a map of constants this module exports to JS. Supports JSON types.
   */
  public @Nullable Map<String, Object> getConstants() {
    return null;
  }
◆
  /**
   * Returns the constants that this module exports to JS. Supports JSON types.
   *
   * @return a map of constants, empty by default
   */
  public Map<String, Object> getConstants() {
    return Collections.emptyMap();
  }
▲

  @Override
  public void initialize() {
    // do nothing
  }

  @Override
■ java-context | java | ReactAndroid/src/main/java/com/facebook/react/bridge/BaseJavaModule.java | space 2 | react-native
  @Override
  public void invalidate() {}

  /**
   * Subclasses can use this method to access {@link ReactApplicationContext} passed as a
   * constructor.
   */
  protected final ReactApplicationContext getReactApplicationContext() {
▼
    return Assertions.assertNotNull(
        mReactApplicationContext,
        "Tried to get ReactApplicationContext even though NativeModule wasn't instantiated with"
            + " one");
◆
    if (mReactApplicationContext == null) {
      throw new IllegalStateException("The native module " + getName() + " has no context");
    }
    return mReactApplicationContext;
▲
  }

  /**
   * Subclasses can use this method to access {@link ReactApplicationContext} passed as a
   * constructor. Use this version to check that the underlying React Instance is active before
   * returning, and automatically have SoftExceptions or debug information logged for you. Consider
   * using this whenever calling ReactApplicationContext methods that require the React instance be
■ kotlin-switch | kotlin | ReactAndroid/src/main/java/com/facebook/react/views/switchview/ReactSwitchManager.kt | space 2 | react-native
  override fun createViewInstance(context: ThemedReactContext): ReactSwitch =
      ReactSwitch(context).apply { showText = false }

  override fun setBackgroundColor(view: ReactSwitch, @ColorInt backgroundColor: Int) {
    view.setBackgroundColor(backgroundColor)
  }

▼
  @ReactProp(name = "disabled", defaultBoolean = false)
  override fun setDisabled(view: ReactSwitch, value: Boolean) {
    view.isEnabled = !value
  }

  @ReactProp(name = ViewProps.ENABLED, defaultBoolean = true)
  override fun setEnabled(view: ReactSwitch, value: Boolean) {
    view.isEnabled = value
  }
◆
  @ReactProp(name = "disabled", defaultBoolean = false)
  override fun setDisabled(view: ReactSwitch, value: Boolean) {
    setEnabled(view, !value)
  }

  @ReactProp(name = ViewProps.ENABLED, defaultBoolean = true)
  override fun setEnabled(view: ReactSwitch, value: Boolean) {
    view.isEnabled = value
    view.alpha = if (value) 1f else 0.4f
  }
▲

  @ReactProp(name = ViewProps.ON)
  override fun setOn(view: ReactSwitch, value: Boolean) {
    setValueInternal(view, value)
  }

  @ReactProp(name = "value")
■ ruby-sysctl | ruby | scripts/cocoapods/helpers.rb | space 4 | react-native
# LICENSE file in the root directory of this source tree.

# Helper object to wrap the invocation of sysctl
# This makes it easier to mock the behaviour in tests
class SysctlChecker
▼
    def call_sysctl_arm64
        return ´/usr/sbin/sysctl -n hw.optional.arm64 2>&1´.to_i
    end
◆
    def call_sysctl_arm64
        output, status = Open3.capture2e('/usr/sbin/sysctl', '-n', 'hw.optional.arm64')
        status.success? ? output.to_i : 0
    end
▲
end

# Helper class that is used to easily send commands to Xcodebuild
# And that can be subclassed for testing purposes.
class Xcodebuild
    def self.version
        ´xcodebuild -version´
■ ruby-finder | ruby | scripts/cocoapods/helpers.rb | space 4 | react-native
# Helper object to wrap system properties like RUBY_PLATFORM
# This makes it easier to mock the behaviour in tests
class Environment
    def ruby_platform
        return RUBY_PLATFORM
    end
end

▼
class Finder
    def self.find_codegen_file(path)
        js_files = '-name "Native*.js" -or -name "*NativeComponent.js"'
        ts_files = '-name "Native*.ts" -or -name "*NativeComponent.ts"'
        return ´find #{path} -type f \\( #{js_files} -or #{ts_files} \\)´.split("\n").sort()
    end
end
◆
class Finder
    PATTERNS = ['Native*.js', '*NativeComponent.js', 'Native*.ts', '*NativeComponent.ts'].freeze

    def self.find_codegen_file(path)
        PATTERNS.flat_map { |pattern| Dir.glob(File.join(path, '**', pattern)) }.uniq.sort
    end
end
▲

module Helpers
    class Constants
        @@boost_config = {
            :git => "https://github.com/react-native-community/boost-for-react-native",
            :compiler_flags => '-Wno-documentation'
        }
■ objc-reconnect | objective-c | Libraries/WebSocket/RCTReconnectingWebSocket.m | space 2 | react-native
  _socket = nil;
}

- (void)webSocket:(SRWebSocket *)webSocket didReceiveMessage:(id)message
{
  [_delegate reconnectingWebSocket:self didReceiveMessage:message];
}

▼
- (void)reconnect
{
  if (_stopped) {
    return;
  }

  __weak SRWebSocket *socket = _socket;
  __weak __typeof(self) weakSelf = self;

  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, (int64_t)(2 * NSEC_PER_SEC)), dispatch_get_main_queue(), ^{
    [weakSelf start];
    if (!socket) {
      [weakSelf reconnect];
    }
  });
}
◆
- (void)reconnect
{
  if (_stopped) {
    return;
  }

  __weak __typeof(self) weakSelf = self;
  int64_t delay = (int64_t)(MIN(_attempts, 5) * 2 * NSEC_PER_SEC);
  _attempts += 1;

  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, delay), dispatch_get_main_queue(), ^{
    [weakSelf start];
  });
}
▲

- (void)webSocketDidOpen:(SRWebSocket *)webSocket
{
  [_delegate reconnectingWebSocketDidOpen:self];
■ cpp-evict | cpp | ReactCommon/jsinspector-modern/network/BoundedRequestBuffer.cpp | space 2 | react-native
    for (auto orderIt = order_.begin(); orderIt != order_.end(); ++orderIt) {
      if (*orderIt == requestId) {
        order_.erase(orderIt);
        break;
      }
    }
  }

▼
  // Evict oldest requests if necessary to make space
  while (currentSize_ + data.size() > REQUEST_BUFFER_MAX_SIZE_BYTES &&
         !order_.empty()) {
    const auto& oldestId = order_.front();
    auto it = responses_.find(oldestId);
    if (it != responses_.end()) {
      currentSize_ -= it->second->data.size();
      responses_.erase(it);
    }
    order_.pop_front();
  }
◆
  // Evict oldest requests if necessary to make space
  while (currentSize_ + data.size() > REQUEST_BUFFER_MAX_SIZE_BYTES &&
         !order_.empty()) {
    if (auto it = responses_.find(order_.front()); it != responses_.end()) {
      currentSize_ -= it->second->data.size();
      responses_.erase(it);
    }
    order_.pop_front();
  }
▲

  // If still no space, reject the new data (this should not be reached)
  if (currentSize_ + data.size() > REQUEST_BUFFER_MAX_SIZE_BYTES) {
    return false;
  }

  currentSize_ += data.size();
■ cpp-get | cpp | ReactCommon/jsinspector-modern/network/BoundedRequestBuffer.cpp | space 2 | react-native
          .data = std::string(data), .base64Encoded = base64Encoded}));
  order_.push_back(requestId);

  return true;
}

std::shared_ptr<const BoundedRequestBuffer::ResponseBody>
BoundedRequestBuffer::get(const std::string& requestId) const {
▼
  auto it = responses_.find(requestId);
  if (it != responses_.end()) {
    return it->second;
  }

  return nullptr;
◆
  auto it = responses_.find(requestId);
  return it == responses_.end() ? nullptr : it->second;
▲
}

void BoundedRequestBuffer::clear() {
  responses_.clear();
  order_.clear();
  currentSize_ = 0;
}
■ cpp-napi | cpp | src/common.cc | space 2 | sharp
      vectorOfDouble[i] = AttrAsDouble(napiArray, i);
    }
    return vectorOfDouble;
  }
▼
  std::vector<int32_t> AttrAsInt32Vector(Napi::Object obj, std::string attr) {
    Napi::Array array = obj.Get(attr).As<Napi::Array>();
    std::vector<int32_t> vector(array.Length());
    for (unsigned int i = 0; i < array.Length(); i++) {
      vector[i] = AttrAsInt32(array, i);
    }
    return vector;
  }
◆
  std::vector<int32_t> AttrAsInt32Vector(Napi::Object obj, std::string attr) {
    std::vector<int32_t> vector;
    if (!HasAttr(obj, attr)) {
      return vector;
    }
    Napi::Array array = obj.Get(attr).As<Napi::Array>();
    vector.reserve(array.Length());
    for (unsigned int i = 0; i < array.Length(); i++) {
      vector.push_back(AttrAsInt32(array, i));
    }
    return vector;
  }
▲

  // Create an InputDescriptor instance from a Napi::Object describing an input image
  InputDescriptor* CreateInputDescriptor(Napi::Object input) {
    InputDescriptor *descriptor = new InputDescriptor;
    if (HasAttr(input, "file")) {
      descriptor->file = AttrAsStr(input, "file");
    } else if (HasAttr(input, "buffer")) {
■ swift-router | swift | Capacitor/Capacitor/NotificationRouter.swift | space 4 | @capacitor/ios
@objc(CAPNotificationRouter) public class NotificationRouter: NSObject, UNUserNotificationCenterDelegate {
    var handleApplicationNotifications: Bool {
        get {
            return UNUserNotificationCenter.current().delegate === self
        }
▼
        set {
            let center = UNUserNotificationCenter.current()

            if newValue {
                center.delegate = self
            } else if center.delegate === self {
                center.delegate = nil
            }
        }
◆
        set {
            let center = UNUserNotificationCenter.current()

            switch (newValue, center.delegate === self) {
            case (true, false):
                center.delegate = self
            case (false, true):
                center.delegate = nil
            default:
                break
            }
        }
▲
    }

    public weak var pushNotificationHandler: NotificationHandlerProtocol? {
        didSet {
            if pushNotificationHandler != nil, oldValue != nil {
                CAPLog.print("Push notification handler overriding previous instance: \(String(describing: type(of: oldValue)))")
            }
■ swift-present | swift | Capacitor/Capacitor/NotificationRouter.swift | space 4 | @capacitor/ios
                CAPLog.print("Local notification handler overriding previous instance: \(String(describing: type(of: oldValue)))")
            }
        }
    }

    public func userNotificationCenter(_ center: UNUserNotificationCenter,
                                       willPresent notification: UNNotification,
                                       withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void) {
▼
        let presentationOptions: UNNotificationPresentationOptions?

        if notification.request.trigger?.isKind(of: UNPushNotificationTrigger.self) == true {
            presentationOptions = pushNotificationHandler?.willPresent(notification: notification)
        } else {
            presentationOptions = localNotificationHandler?.willPresent(notification: notification)
        }

        completionHandler(presentationOptions ?? [])
◆
        let isPush = notification.request.trigger is UNPushNotificationTrigger
        let handler = isPush ? pushNotificationHandler : localNotificationHandler

        completionHandler(handler?.willPresent(notification: notification) ?? [])
▲
    }

    public func userNotificationCenter(_ center: UNUserNotificationCenter,
                                       didReceive response: UNNotificationResponse,
                                       withCompletionHandler completionHandler: @escaping () -> Void) {
        if response.notification.request.trigger?.isKind(of: UNPushNotificationTrigger.self) == true {
            pushNotificationHandler?.didReceive(response: response)
■ csharp-property | csharp | src/double/Edge.js/dotnetcore/nodejsfuncinvokecontext.cs | space 4 | edge-js
    }

    internal static CallV8FunctionDelegate CallV8Function
    {
        get;
        set;
    }

▼
    public TaskCompletionSource<object> TaskCompletionSource 
    { 
        get; 
        private set; 
    }
◆
    public TaskCompletionSource<object> TaskCompletionSource { get; private set; }
▲

    public NodejsFuncInvokeContext(NodejsFunc functionContext, object payload)
    {
        this.functionContext = functionContext;
        this.payload = payload;
        this.TaskCompletionSource = new TaskCompletionSource<object>();
    }
■ csharp-call | csharp | src/double/Edge.js/dotnetcore/nodejsfuncinvokecontext.cs | space 4 | edge-js
        this.payload = payload;
        this.TaskCompletionSource = new TaskCompletionSource<object>();
    }

    internal void CallFunc()
    {
        CoreCLREmbedding.DebugMessage("NodejsFuncInvokeContext::CallFunc (CLR) - Starting");

▼
        V8Type v8PayloadType;
        IntPtr v8Payload = CoreCLREmbedding.MarshalCLRToV8(payload, out v8PayloadType);

        CoreCLREmbedding.DebugMessage("NodejsFuncInvokeContext::CallFunc (CLR) - Marshalled payload data for V8");

        IntPtr callbackContext = GCHandle.ToIntPtr(GCHandle.Alloc(this));
        CoreCLREmbedding.DebugMessage("NodejsFuncInvokeContext::CallFunc (CLR) - Getting a GCHandle for this context object");

        CoreCLREmbedding.DebugMessage("NodejsFuncInvokeContext::CallFunc (CLR) - Invoking the unmanaged V8 function to invoke the Node.js function on the V8 thread");
        CallV8Function(v8Payload, (int)v8PayloadType, functionContext.Context, callbackContext, NodejsFuncCompleteCallback);
◆
        V8Type v8PayloadType;
        IntPtr v8Payload = CoreCLREmbedding.MarshalCLRToV8(payload, out v8PayloadType);
        GCHandle handle = GCHandle.Alloc(this);

        try
        {
            CallV8Function(v8Payload, (int)v8PayloadType, functionContext.Context, GCHandle.ToIntPtr(handle), NodejsFuncCompleteCallback);
        }
        catch
        {
            handle.Free();
            throw;
        }
▲
    }      

    public static void NodejsFuncComplete(IntPtr context, int taskStatus, IntPtr result, int resultType)
    {
        CoreCLREmbedding.DebugMessage("NodejsFuncInvokeContext::NodejsFuncComplete (CLR) - Starting");
■ c-hashes | c | src/scanner.c | space 4 | tree-sitter-rust
    if (lexer->lookahead == 'b' || lexer->lookahead == 'c') {
        advance(lexer);
    }
    if (lexer->lookahead != 'r') {
        return false;
    }
    advance(lexer);

▼
    uint8_t opening_hash_count = 0;
    while (lexer->lookahead == '#') {
        advance(lexer);
        opening_hash_count++;
    }

    if (lexer->lookahead != '"') {
        return false;
    }
    advance(lexer);
    scanner->opening_hash_count = opening_hash_count;
◆
    uint8_t opening_hash_count = 0;
    while (lexer->lookahead == '#') {
        if (opening_hash_count == UINT8_MAX) {
            return false;
        }
        advance(lexer);
        opening_hash_count++;
    }

    if (lexer->lookahead != '"') {
        return false;
    }
    advance(lexer);
    scanner->opening_hash_count = opening_hash_count;
▲

    lexer->result_symbol = RAW_STRING_LITERAL_START;
    return true;
}

static inline bool scan_raw_string_content(Scanner *scanner, TSLexer *lexer) {
    for (;;) {
■ c-raw-end | c | src/scanner.c | space 4 | tree-sitter-rust
                return true;
            }
        } else {
            advance(lexer);
        }
    }
}

▼
static inline bool scan_raw_string_end(Scanner *scanner, TSLexer *lexer) {
    advance(lexer);
    for (unsigned i = 0; i < scanner->opening_hash_count; i++) {
        advance(lexer);
    }
    lexer->result_symbol = RAW_STRING_LITERAL_END;
    return true;
}
◆
static inline bool scan_raw_string_end(Scanner *scanner, TSLexer *lexer) {
    advance(lexer);
    for (unsigned i = 0; i < scanner->opening_hash_count; i++) {
        if (lexer->lookahead != '#') {
            return false;
        }
        advance(lexer);
    }
    lexer->result_symbol = RAW_STRING_LITERAL_END;
    return true;
}
▲

static inline bool process_float_literal(TSLexer *lexer) {
    lexer->result_symbol = FLOAT_LITERAL;

    advance(lexer);
    while (is_num_char(lexer->lookahead)) {
        advance(lexer);
■ scheme-query | scheme | queries/highlights.scm | space 2 | tree-sitter-rust
; either that, or struct names; highlighting both as constructors seems to be
; the less glaring choice of error, visually.)
(struct_pattern
  type: (scoped_type_identifier
    name: (type_identifier) @constructor))

; Function calls

▼
(call_expression
  function: (identifier) @function)
(call_expression
  function: (field_expression
    field: (field_identifier) @function.method))
(call_expression
  function: (scoped_identifier
    "::"
    name: (identifier) @function))
◆
(call_expression
  function: [
    (identifier) @function
    (field_expression
      field: (field_identifier) @function.method)
    (scoped_identifier
      "::"
      name: (identifier) @function)
  ])
▲

(generic_function
  function: (identifier) @function)
(generic_function
  function: (scoped_identifier
    name: (identifier) @function))
(generic_function
■ shell-nvm | shellscript | scripts/find-node-for-xcode.sh | space 2 | react-native
HOMEBREW_APPLE_SILICON_BIN=/opt/homebrew/bin
if [[ -d $HOMEBREW_APPLE_SILICON_BIN && ! $PATH =~ $HOMEBREW_APPLE_SILICON_BIN ]]; then
  export PATH="$HOMEBREW_APPLE_SILICON_BIN:$PATH"
fi

# Define NVM_DIR and source the nvm.sh setup script
[ -z "$NVM_DIR" ] && export NVM_DIR="$HOME/.nvm"

▼
# Source nvm with '--no-use' and then ´nvm use´ to respect .nvmrc
# See: https://github.com/nvm-sh/nvm/issues/2053
if [[ -s "$HOME/.nvm/nvm.sh" ]]; then
  # shellcheck source=/dev/null
  . "$HOME/.nvm/nvm.sh" --no-use
  nvm use 2> /dev/null || nvm use default
elif [[ -x "$(command -v brew)" && -s "$(brew --prefix nvm)/nvm.sh" ]]; then
  # shellcheck source=/dev/null
  . "$(brew --prefix nvm)/nvm.sh" --no-use
  nvm use 2> /dev/null || nvm use default
fi
◆
# Source nvm with '--no-use' and then ´nvm use´ to respect .nvmrc
# See: https://github.com/nvm-sh/nvm/issues/2053
nvm_script="$HOME/.nvm/nvm.sh"
if [[ ! -s "$nvm_script" && -x "$(command -v brew)" ]]; then
  nvm_script="$(brew --prefix nvm)/nvm.sh"
fi
if [[ -s "$nvm_script" ]]; then
  # shellcheck source=/dev/null
  . "$nvm_script" --no-use
  nvm use 2> /dev/null || nvm use default
fi
▲

# Set up the nodenv node version manager if present
if [[ -x "$HOME/.nodenv/bin/nodenv" ]]; then
  eval "$("$HOME/.nodenv/bin/nodenv" init -)"
elif [[ -x "$(command -v brew)" && -x "$(brew --prefix nodenv)/bin/nodenv" ]]; then
  eval "$("$(brew --prefix nodenv)/bin/nodenv" init -)"
fi
■ cmake-cache | cmake | ReactAndroid/cmake-utils/ReactNative-application.cmake | space 4 | react-native
include(§{CMAKE_CURRENT_LIST_DIR}/folly-flags.cmake)

# We configured the REACT_COMMON_DIR variable as it's commonly used to reference
# shared C++ code in other targets.
set(REACT_COMMON_DIR §{REACT_ANDROID_DIR}/../ReactCommon)
include(§{REACT_COMMON_DIR}/cmake-utils/react-native-flags.cmake)

▼
# If you have ccache installed, we're going to honor it.
find_program(CCACHE_FOUND ccache)
if(CCACHE_FOUND)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE ccache)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK ccache)
endif(CCACHE_FOUND)
◆
# Use ccache (or sccache as a fallback) if it is installed.
find_program(CCACHE_FOUND NAMES ccache sccache)
if(CCACHE_FOUND)
  message(STATUS "Compiler cache: §{CCACHE_FOUND}")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "§{CCACHE_FOUND}")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "§{CCACHE_FOUND}")
endif()
▲

# If the user toolchain supports IPO, we enable it for the app build
include(CheckIPOSupported)
check_ipo_supported(RESULT IPO_SUPPORT)
if (IPO_SUPPORT)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION TRUE)
endif()
■ gradle-version | groovy | ReactAndroid/publish.gradle | space 4 | react-native
            afterEvaluate {
                // We do a multi variant release, so for Android libraries
                // we publish ´components.release´
                if (plugins.hasPlugin("com.android.library")) {
                    from components.default
                }
            }

▼
            // We populate the publishing version using the project version,
            // appending -SNAPSHOT if on nightly or prerelase.
            if (isSnapshot) {
                version = this.version + "-SNAPSHOT"
            } else {
                version = this.version
            }
◆
            // Nightlies and prereleases are published as snapshots.
            version = isSnapshot ? "§{this.version}-SNAPSHOT" : this.version
▲

            pom {
                name = "react-native"
                description = "A framework for building native apps with React"
                url = "https://github.com/react/react-native"

                developers {
■ podspec | ruby | ReactCommon/react/networking/React-networking.podspec | space 2 | react-native
  s.summary                = "Common networking modules for React Native"
  s.homepage               = "https://reactnative.dev/"
  s.license                = package["license"]
  s.author                 = "Meta Platforms, Inc. and its affiliates"
  s.platforms              = min_supported_versions
  s.source                 = source
  s.source_files           = podspec_sources("*.{cpp,h}", "*.h")
  s.header_dir             = "react/networking"
▼
  s.pod_target_xcconfig    = { "CLANG_CXX_LANGUAGE_STANDARD" => rct_cxx_language_standard(),
                               "HEADER_SEARCH_PATHS" => header_search_paths.join(' '),
                               "DEFINES_MODULE" => "YES" }

  if ENV['USE_FRAMEWORKS'] && ReactNativeCoreUtils.build_rncore_from_source()
    s.module_name            = "React_networking"
    s.header_mappings_dir  = "../.."
  end
◆
  s.pod_target_xcconfig    = {
    "CLANG_CXX_LANGUAGE_STANDARD" => rct_cxx_language_standard(),
    "HEADER_SEARCH_PATHS" => header_search_paths.join(' '),
    "DEFINES_MODULE" => "YES",
  }

  if ENV['USE_FRAMEWORKS'] && ReactNativeCoreUtils.build_rncore_from_source()
    s.module_name         = "React_networking"
    s.header_mappings_dir = "../.."
  end
▲
  add_dependency(s, "React-jsinspectornetwork", :framework_name => 'jsinspector_modernnetwork')
  add_dependency(s, "React-jsinspectortracing", :framework_name => 'jsinspector_moderntracing')
  s.dependency "React-performancetimeline"
  s.dependency "React-timing"

  add_rn_third_party_dependencies(s)
  add_rncore_dependency(s)
■ xml-style | xml | ReactAndroid/src/main/res/devsupport/values/styles.xml | space 2 | react-native
  <style name="Theme.Catalyst"/>
  <style name="Theme.Catalyst.RedBox">
    <item name="android:windowBackground">@color/catalyst_redbox_background</item>
    <item name="android:windowAnimationStyle">@style/Animation.Catalyst.RedBox</item>
    <item name="android:inAnimation">@android:anim/fade_in</item>
    <item name="android:outAnimation">@android:anim/fade_out</item>
    <item name="android:textColor">@android:color/white</item>
  </style>
▼
  <style name="Theme.Catalyst.LogBox">
    <item name="android:windowTranslucentStatus">true</item>
    <item name="android:windowTranslucentNavigation">false</item>
    <item name="android:windowBackground">@android:color/transparent</item>
    <item name="android:windowAnimationStyle">@style/Animation.Catalyst.LogBox</item>
    <item name="android:inAnimation">@android:anim/fade_in</item>
    <item name="android:outAnimation">@android:anim/fade_out</item>
    <item name="android:textColor">@android:color/white</item>
  </style>
◆
  <style name="Theme.Catalyst.LogBox" parent="Theme.Catalyst">
    <item name="android:windowTranslucentStatus">true</item>
    <item name="android:windowTranslucentNavigation">true</item>
    <item name="android:windowBackground">@android:color/transparent</item>
    <item name="android:textColor">@android:color/white</item>
  </style>
▲
  <style name="Animation.Catalyst.RedBox" parent="@android:style/Animation">
    <item name="android:windowEnterAnimation">@anim/catalyst_push_up_in</item>
    <item name="android:windowExitAnimation">@anim/catalyst_push_up_out</item>
  </style>
  <style name="Animation.Catalyst.LogBox" parent="@android:style/Animation">
    <item name="android:windowEnterAnimation">@anim/catalyst_push_up_in</item>
    <item name="android:windowExitAnimation">@anim/catalyst_push_up_out</item>
■ python-canonical | python | packaging/utils.py | space 4 | node-gyp
def canonicalize_version(
    version: Union[Version, str], *, strip_trailing_zero: bool = True
) -> str:
    """
    This is very similar to Version.__str__, but has one subtle difference
    with the way it handles the release segment.
    """
▼
    if isinstance(version, str):
        try:
            parsed = Version(version)
        except InvalidVersion:
            # Legacy versions cannot be normalized
            return version
    else:
        parsed = version
◆
    if isinstance(version, Version):
        parsed = version
    else:
        try:
            parsed = Version(version)
        except InvalidVersion:
            # Legacy versions cannot be normalized
            return version
▲

    parts = []
■ python-docstring | python | packaging/utils.py | space 4 | node-gyp
def is_normalized_name(name: str) -> bool:
    return _normalized_regex.match(name) is not None


def canonicalize_version(
    version: Union[Version, str], *, strip_trailing_zero: bool = True
) -> str:
▼
    """
    This is very similar to Version.__str__, but has one subtle difference
    with the way it handles the release segment.
    """
◆
    """
    Return a canonical form of a version.

    Note: this is very similar to Version.__str__, but the release segment has no
    trailing zeros. For example:

        >>> canonicalize_version("1.0.0")
        '1'
    """
▲
    if isinstance(version, str):
        try:
            parsed = Version(version)
        except InvalidVersion:
            # Legacy versions cannot be normalized
            return version
    else:
■ python-segments | python | packaging/utils.py | space 4 | node-gyp
    # Release segment
    release_segment = ".".join(str(x) for x in parsed.release)
    if strip_trailing_zero:
        # NB: This strips trailing '.0's to normalize
        release_segment = re.sub(r"(\.0)+$", "", release_segment)
    parts.append(release_segment)

▼
    # Pre-release
    if parsed.pre is not None:
        parts.append("".join(str(x) for x in parsed.pre))

    # Post-release
    if parsed.post is not None:
        parts.append(f".post{parsed.post}")
◆
    # Pre-release and post-release
    if parsed.pre is not None:
        parts.append("".join(map(str, parsed.pre)))
    if parsed.post is not None:
        parts.append(f".post{parsed.post}")
▲

    # Development release
    if parsed.dev is not None:
        parts.append(f".dev{parsed.dev}")

    # Local version segment
    if parsed.local is not None:
■ python-infinity | python | packaging/_structures.py | space 4 | node-gyp
class InfinityType:
    def __repr__(self) -> str:
        return "Infinity"

    def __hash__(self) -> int:
        return hash(repr(self))

▼
    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__)

    def __gt__(self, other: object) -> bool:
        return True

    def __ge__(self, other: object) -> bool:
        return True
◆
    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return self == other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__)

    def __gt__(self, other: object) -> bool:
        return self != other

    def __ge__(self, other: object) -> bool:
        return True
▲

    def __neg__(self: object) -> "NegativeInfinityType":
        return NegativeInfinity


Infinity = InfinityType()
■ python-class-doc | python | packaging/requirements.py | space 4 | node-gyp
▼
class Requirement:
    """Parse a requirement.

    Parse a given requirement string into its parts, such as name, specifier,
    URL, and extras. Raises InvalidRequirement on a badly-formed requirement
    string.
    """

    # TODO: Can we test whether something is contained within a requirement?
    #       If so how do we do that? Do we need to test against the _name_ of
    #       the thing as well as the version? What about the markers?
    # TODO: Can we normalize the name and extra name?
◆
class Requirement:
    """This class parses a requirement.

    Here is an example:

        >>> Requirement("requests[security]>=2.8.1").name
        'requests'

    Raises InvalidRequirement on a badly-formed requirement string.
    """
▲

    def __init__(self, requirement_string: str) -> None:
        try:
            parsed = _parse_requirement(requirement_string)
        except ParserSyntaxError as e:
            raise InvalidRequirement(str(e)) from e
■ python-parts | python | packaging/requirements.py | space 4 | node-gyp
        if parsed.marker is not None:
            self.marker = Marker.__new__(Marker)
            self.marker._markers = _normalize_extra_values(parsed.marker)

    def _iter_parts(self, name: str) -> Iterator[str]:
        yield name

▼
        if self.extras:
            formatted_extras = ",".join(sorted(self.extras))
            yield f"[{formatted_extras}]"

        if self.specifier:
            yield str(self.specifier)

        if self.url:
            yield f"@ {self.url}"
            if self.marker:
                yield " "

        if self.marker:
            yield f"; {self.marker}"
◆
        if self.extras:
            yield f"[{','.join(sorted(self.extras))}]"

        if self.specifier:
            yield str(self.specifier)

        if self.url:
            yield f"@ {self.url}"

        if self.marker:
            yield f"{' ' if self.url else ''}; {self.marker}"
▲

    def __str__(self) -> str:
        return "".join(self._iter_parts(self.name))

    def __repr__(self) -> str:
        return f"<Requirement('{self}')>"
■ scss-active | scss | scss/_breadcrumb.scss | space 2 | bootstrap
  padding: var(--#{$prefix}breadcrumb-padding-y) var(--#{$prefix}breadcrumb-padding-x);
  margin-bottom: var(--#{$prefix}breadcrumb-margin-bottom);
  @include font-size(var(--#{$prefix}breadcrumb-font-size));
  list-style: none;
  background-color: var(--#{$prefix}breadcrumb-bg);
  @include border-radius(var(--#{$prefix}breadcrumb-border-radius));
}

▼
.breadcrumb-item {
  // The separator between breadcrumbs (by default, a forward-slash: "/")
  + .breadcrumb-item {
    padding-left: var(--#{$prefix}breadcrumb-item-padding-x);

    &::before {
      float: left; // Suppress inline spacings and underlining of the separator
      padding-right: var(--#{$prefix}breadcrumb-item-padding-x);
      color: var(--#{$prefix}breadcrumb-divider-color);
      content: var(--#{$prefix}breadcrumb-divider, escape-svg($breadcrumb-divider)) #{"/* rtl:"} var(--#{$prefix}breadcrumb-divider, escape-svg($breadcrumb-divider-flipped)) #{"*/"};
    }
  }

  &.active {
    color: var(--#{$prefix}breadcrumb-item-active-color);
  }
◆
.breadcrumb-item {
  + .breadcrumb-item::before {
    padding-inline: var(--#{$prefix}breadcrumb-item-padding-x);
    color: var(--#{$prefix}breadcrumb-divider-color);
    content: var(--#{$prefix}breadcrumb-divider, escape-svg($breadcrumb-divider));
  }

  &.active {
    color: var(--#{$prefix}breadcrumb-item-active-color);
  }
▲
}
■ js-hide | javascript | js/src/util/scrollbar.js | space 2 | bootstrap
  // Public
  getWidth() {
    // https://developer.mozilla.org/en-US/docs/Web/API/Window/innerWidth#usage_notes
    const documentWidth = document.documentElement.clientWidth
    return Math.abs(window.innerWidth - documentWidth)
  }

▼
  hide() {
    const width = this.getWidth()
    this._disableOverFlow()
    // give padding to element to balance the hidden scrollbar width
    this._setElementAttributes(this._element, PROPERTY_PADDING, calculatedValue => calculatedValue + width)
    // trick: We adjust positive paddingRight and negative marginRight to sticky-top elements to keep showing fullwidth
    this._setElementAttributes(SELECTOR_FIXED_CONTENT, PROPERTY_PADDING, calculatedValue => calculatedValue + width)
    this._setElementAttributes(SELECTOR_STICKY_CONTENT, PROPERTY_MARGIN, calculatedValue => calculatedValue - width)
  }
◆
  hide() {
    const width = this.getWidth()
    const add = value => value + width
    const subtract = value => value - width

    this._disableOverFlow()
    this._setElementAttributes(this._element, PROPERTY_PADDING, add)
    this._setElementAttributes(SELECTOR_FIXED_CONTENT, PROPERTY_PADDING, add)
    this._setElementAttributes(SELECTOR_STICKY_CONTENT, PROPERTY_MARGIN, subtract)
  }
▲

  reset() {
    this._resetElementAttributes(this._element, 'overflow')
    this._resetElementAttributes(this._element, PROPERTY_PADDING)
    this._resetElementAttributes(SELECTOR_FIXED_CONTENT, PROPERTY_PADDING)
    this._resetElementAttributes(SELECTOR_STICKY_CONTENT, PROPERTY_MARGIN)
  }
■ js-callback | javascript | js/src/util/scrollbar.js | space 2 | bootstrap
  // Private
  _disableOverFlow() {
    this._saveInitialAttribute(this._element, 'overflow')
    this._element.style.overflow = 'hidden'
  }

  _setElementAttributes(selector, styleProperty, callback) {
    const scrollbarWidth = this.getWidth()
▼
    const manipulationCallBack = element => {
      if (element !== this._element && window.innerWidth > element.clientWidth + scrollbarWidth) {
        return
      }

      this._saveInitialAttribute(element, styleProperty)
      const calculatedValue = window.getComputedStyle(element).getPropertyValue(styleProperty)
      element.style.setProperty(styleProperty, ´§{callback(Number.parseFloat(calculatedValue))}px´)
    }
◆
    const manipulationCallBack = element => {
      const isWide = window.innerWidth > element.clientWidth + scrollbarWidth
      if (element !== this._element && isWide) {
        return
      }

      this._saveInitialAttribute(element, styleProperty)
      const value = Number.parseFloat(window.getComputedStyle(element)[styleProperty])
      element.style.setProperty(styleProperty, ´§{callback(value)}px´)
    }
▲

    this._applyManipulationCallback(selector, manipulationCallBack)
  }

  _saveInitialAttribute(element, styleProperty) {
    const actualValue = element.style.getPropertyValue(styleProperty)
    if (actualValue) {
■ ts-end-group | typescript | src/Namespace.ts | space 4 | katex
     * End current nested group, restoring values before the group began.
     */
    endGroup() {
        if (this.undefStack.length === 0) {
            throw new ParseError("Unbalanced namespace destruction: attempt " +
                "to pop global namespace; please report this as a bug");
        }
        const undefs = this.undefStack.pop()!;
▼
        for (const key of Object.keys(undefs)) {
            if (undefs[key] === undefined) {
                delete this.current[key];
            } else {
                this.current[key] = undefs[key];
            }
        }
◆
        for (const [key, value] of Object.entries(undefs)) {
            if (value === undefined) {
                delete this.current[key];
            } else {
                this.current[key] = value;
            }
        }
▲
    }

    /**
     * Ends all currently nested groups (if any), restoring values before the
     * groups began.  Useful in case of an error in the middle of parsing.
     */
    endGroups() {
■ ts-get | typescript | src/Namespace.ts | space 4 | katex
     * Detect whether ´name´ has a definition.  Equivalent to
     * ´get(name) != null´.
     */
    has(name: string): boolean {
        return Object.prototype.hasOwnProperty.call(this.current, name) ||
            Object.prototype.hasOwnProperty.call(this.builtins, name);
    }

▼
    /**
     * Get the current value of a name, or ´undefined´ if there is no value.
     *
     * Note: Do not use ´if (namespace.get(...))´ to detect whether a macro
     * is defined, as the definition may be the empty string which evaluates
     * to ´false´ in JavaScript.  Use ´if (namespace.get(...) != null)´ or
     * ´if (namespace.has(...))´.
     */
    get(name: string): Value | undefined {
        if (Object.prototype.hasOwnProperty.call(this.current, name)) {
            return this.current[name];
        } else if (Object.prototype.hasOwnProperty.call(this.builtins, name)) {
            return this.builtins[name];
        } else {
            return undefined;
        }
    }
◆
    /**
     * Returns the current value of a name, or ´undefined´ if there is no value.
     *
     * Note: Use ´has(name)´ to detect whether a macro is defined, as the
     * definition may be the empty string, which is falsy.
     */
    get(name: string): Value | undefined {
        return this.has(name) ? this.current[name] ?? this.builtins[name] : undefined;
    }
▲

    /**
     * Set the current value of a name, and optionally set it globally too.
     * Local set() sets the current value and (when appropriate) adds an undo
     * operation to the undo stack.  Global set() may change the undo
     * operation at every level, so takes time linear in their number.
     * A value of undefined means to delete existing definitions.
■ ts-smash | typescript | src/functions/smash.ts | space 4 | katex
        const tbArg = optArgs[0] && assertNodeType(optArgs[0], "ordgroup");
        if (tbArg) {
            // Optional [tb] argument is engaged.
            // ref: amsmath: \renewcommand{\smash}[1][tb]{%
            //               def\mb@t{\ht}\def\mb@b{\dp}\def\mb@tb{\ht\z@\z@\dp}%
            let letter;
▼
            for (let i = 0; i < tbArg.body.length; ++i) {
                const node = tbArg.body[i];
                letter = assertSymbolNodeType(node).text;
                if (letter === "t") {
                    smashHeight = true;
                } else if (letter === "b") {
                    smashDepth = true;
                } else {
                    smashHeight = false;
                    smashDepth = false;
                    break;
                }
            }
◆
            for (const node of tbArg.body) {
                letter = assertSymbolNodeType(node).text;
                smashHeight ||= letter === "t";
                smashDepth ||= letter === "b";
                if (letter !== "t" && letter !== "b") {
                    smashHeight = false;
                    smashDepth = false;
                    break;
                }
            }
▲
        } else {
            smashHeight = true;
            smashDepth = true;
        }

        const body = args[0];
        return {
■ yaml-matrix | yaml | .github/workflows/ci.yml | space 2 | pino-abstract-transport
      - name: Check out repo
        uses: actions/checkout@v5
        with:
          persist-credentials: false

      - name: Dependency review
        uses: actions/dependency-review-action@v3

▼
  test:
    name: Test
    runs-on: §{{ matrix.os }}
    permissions:
      contents: read
    strategy:
      matrix:
        node-version: [20, 22, 24]
        os: [macos-latest, ubuntu-latest, windows-latest]

    steps:
      - name: Check out repo
        uses: actions/checkout@v5
        with:
          persist-credentials: false
◆
  test:
    name: Test
    runs-on: §{{ matrix.os }}
    timeout-minutes: 10
    permissions:
      contents: read
    strategy:
      fail-fast: false
      matrix:
        node-version: [20, 22, 24]
        os: [macos-latest, ubuntu-latest, windows-latest]
        include:
          - node-version: 24
            os: ubuntu-24.04-arm

    steps:
      - name: Check out repo
        uses: actions/checkout@v5
        with:
          persist-credentials: false
▲

      - name: Setup Node §{{ matrix.node-version }}
        uses: actions/setup-node@v5
        with:
          node-version: §{{ matrix.node-version }}

      - name: Restore cached dependencies
■ mdx-warnings | mdx | docs/04-ai-sdk-ui/21-error-handling.mdx | space 2 | ai
Warnings use Node.js ´process.emitWarning´ when available and ´console.warn´ in
browser/edge runtimes. They appear when:

- **Unsupported features**: You use a feature or setting that is not supported by the AI model (e.g., certain options or parameters).
- **Compatibility warnings**: A feature is used in a compatibility mode, which might work differently or less optimally than intended.
- **Deprecations**: You use a deprecated API, option, or message format.
- **Other warnings**: The AI model reports another type of issue, such as general problems or advisory messages.

▼
### Warning Messages

All warnings include "AI SDK Warning" so you can easily find them. For example:

´´´
AI SDK Warning: The feature "temperature" is not supported by this model
´´´

### Turning Off Warnings

By default, warnings are shown in the console. You can control this behavior:

#### Turn Off All Warnings

Set a global variable to turn off warnings completely:

´´´ts
globalThis.AI_SDK_LOG_WARNINGS = false;
´´´
◆
### Warning Messages

Each warning starts with "AI SDK Warning":

´´´
AI SDK Warning: The feature "temperature" is not supported by this model
´´´

### Turning Off Warnings

Here's how to turn off all warnings:

´´´ts
globalThis.AI_SDK_LOG_WARNINGS = false;
´´´
▲

#### Custom Warning Handler

You can also provide your own function to handle warnings.
It receives a list of warnings and optional provider and model ids. Custom
handlers receive every warning, including repeated deprecations.
■ html-scripts | html | lib/browser/template.html | space 2 | mocha
  <head>
    <meta charset="utf-8" />
    <title>Mocha</title>
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <link rel="stylesheet" href="mocha.css" />
  </head>
  <body>
    <div id="mocha"></div>
▼
    <script src="mocha.js"></script>
    <script>
      mocha.setup("bdd");
    </script>
    <script src="tests.spec.js"></script>
    <script>
      mocha.run();
    </script>
◆
    <script src="mocha.js"></script>
    <script class="mocha-init">
      mocha.setup({ ui: "bdd", timeout: 5000 });
      mocha.checkLeaks();
    </script>
    <script src="tests.spec.js"></script>
    <script class="mocha-exec">
      mocha.run();
    </script>
▲
  </body>
</html>
■ html-prose | html | contrib/auto-render/index.html | space 4 | katex
  <body>
    <div id="test">
▼
      This is some text $math \frac12$ other text $\unsupported$
      <span class="blue">
        Other node \[ \text{displaymath} \frac{1}{2} \] blah $$ \int_2^3 $$
      </span>
      and some <!-- comment --> more text \(and math\) blah. And $math with a
      \$ sign$.
      <pre>
        Stuff in a $pre tag$
      </pre>
      <p>An AMS environment without <code>$$…$$</code> delimiters.</p>
◆
      Here is the updated text with $math \frac12$ and other text $\unsupported$:
      <span class="blue">
        Other node \[ \text{displaymath} \frac{1}{2} \]
      </span>
      <pre>
        Stuff in a $pre tag$
      </pre>
      <p>Note: an AMS environment needs no <code>$$…$$</code> delimiters.</p>
▲
      <p>\begin{equation} \begin{split} a &=b+c\\ &=e+f \end{split} \end{equation}</p>
    </div>
    <script>
      renderMathInElement(
          document.getElementById("test"),
■ html-delimiters | html | contrib/auto-render/index.html | space 4 | katex
      <p>\begin{equation} \begin{split} a &=b+c\\ &=e+f \end{split} \end{equation}</p>
    </div>
    <script>
▼
      renderMathInElement(
          document.getElementById("test"),
          {
              delimiters: [
                  {left: "$$", right: "$$", display: true},
                  {left: "$", right: "$", display: false},
                  {left: "\\begin{equation}", right: "\\end{equation}", display: true},
                  {left: "\\begin{align}", right: "\\end{align}", display: true},
                  {left: "\\begin{alignat}", right: "\\end{alignat}", display: true},
                  {left: "\\begin{gather}", right: "\\end{gather}", display: true},
                  {left: "\\(", right: "\\)", display: false},
                  {left: "\\[", right: "\\]", display: true},
              ],
              throwOnError: false,
          }
      );
◆
      renderMathInElement(document.getElementById("test"), {
          delimiters: [
              {left: "$$", right: "$$", display: true},
              {left: "$", right: "$", display: false},
              {left: "\\(", right: "\\)", display: false},
              {left: "\\[", right: "\\]", display: true},
          ],
          throwOnError: false,
      });
▲
    </script>
  </body>
</html>
■ go-handler | go | internal/api/users.go | tab 4
func (s *Server) handleUser(w http.ResponseWriter, r *http.Request) {
→id := chi.URLParam(r, "id")
▼
→user, err := s.store.User(r.Context(), id)
→if err != nil {
→→http.Error(w, err.Error(), 500)
→→return
→}
→json.NewEncoder(w).Encode(user)
◆
→user, err := s.store.User(r.Context(), id)
→switch {
→case errors.Is(err, store.ErrNotFound):
→→http.Error(w, "user not found", http.StatusNotFound)
→→return
→case err != nil:
→→s.log.Error("load user", "id", id, "error", err)
→→http.Error(w, "internal error", http.StatusInternalServerError)
→→return
→}

→w.Header().Set("Content-Type", "application/json")
→if err := json.NewEncoder(w).Encode(user); err != nil {
→→s.log.Error("write user", "id", id, "error", err)
→}
▲
}

func (s *Server) handleHealth(w http.ResponseWriter, _ *http.Request) {
→w.WriteHeader(http.StatusNoContent)
}
■ go-struct | go | config/config.go | tab 4
package config

import "time"

// Config is read from the environment.
type Config struct {
▼
→Addr    string
→Timeout int
◆
→Addr        string        ´env:"ADDR" envDefault:":8080"´
→Timeout     time.Duration ´env:"TIMEOUT" envDefault:"10s"´
→MaxBodySize int64         ´env:"MAX_BODY_SIZE"´
▲
}

func Load() (Config, error) {
→var c Config
→return c, env.Parse(&c)
}
■ rust-parse | rust | src/duration.rs | space 4
impl FromStr for Interval {
    type Err = ParseError;

    fn from_str(input: &str) -> Result<Self, Self::Err> {
▼
        let n: u64 = input[..input.len() - 1].parse().unwrap();
        match input.chars().last().unwrap() {
            's' => Ok(Interval::seconds(n)),
            'm' => Ok(Interval::minutes(n)),
            _ => panic!("bad unit"),
        }
◆
        let unit = input.chars().last().ok_or(ParseError::Empty)?;
        let digits = &input[..input.len() - unit.len_utf8()];
        let n: u64 = digits.parse().map_err(ParseError::Number)?;
        match unit {
            's' => Ok(Interval::seconds(n)),
            'm' => Ok(Interval::minutes(n)),
            'h' => Ok(Interval::hours(n)),
            other => Err(ParseError::Unit(other)),
        }
▲
    }
}

#[cfg(test)]
mod tests {
    use super::*;
■ rust-derive | rust | src/model.rs | space 4
use std::collections::BTreeMap;

▼
pub struct Account {
    pub id: u32,
    pub labels: BTreeMap<String, String>,
}
◆
/// A customer's account.
///
/// ´´´
/// let account = Account::default();
/// assert_eq!(account.id, 0);
/// ´´´
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    pub id: u32,
    pub labels: BTreeMap<String, String>,
}
▲

impl Account {
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }
}
■ php-controller | php | app/Http/Controllers/InvoiceController.php | space 4
class InvoiceController extends Controller
{
    public function store(Request $request): JsonResponse
    {
▼
        $invoice = new Invoice();
        $invoice->customer_id = $request->input('customer_id');
        $invoice->total = $request->input('total');
        $invoice->save();
◆
        $data = $request->validate([
            'customer_id' => ['required', 'exists:customers,id'],
            'total' => ['required', 'integer', 'min:0'],
        ]);

        $invoice = Invoice::create($data);
▲

        return response()->json($invoice, 201);
    }
}
■ sql-report | sql | reports/monthly.sql | space 2
-- Revenue per month
WITH paid AS (
  SELECT * FROM invoices WHERE paid_at IS NOT NULL
)
▼
SELECT customer_id, sum(total)
FROM paid
GROUP BY customer_id
◆
SELECT
  c.name,
  date_trunc('month', p.paid_at) AS month,
  sum(p.total) AS revenue
FROM paid AS p
JOIN customers AS c ON c.id = p.customer_id
GROUP BY c.name, month
HAVING sum(p.total) > 0
▲
ORDER BY 1;
■ lua-plugin | lua | lua/notes/init.lua | tab 4
local M = {}

function M.setup(opts)
▼
→M.opts = opts
→vim.api.nvim_create_user_command("Note", function()
→→M.open()
→end, {})
◆
→M.opts = vim.tbl_deep_extend("force", M.defaults, opts or {})
→vim.api.nvim_create_user_command("Note", function(args)
→→M.open(args.fargs[1])
→end, { nargs = "?", desc = "Open a note" })
▲
end

return M
■ latex-section | latex | paper/results.tex | space 2
\section{Results}
\label{sec:results}

▼
The results are in Table 1. Our method is better.
◆
Here are the results of the updated experiment. Table~\ref{tab:main} lists the mean
of five runs; our method is better by \SI{4.2}{\percent} ($p < 0.01$).

\begin{itemize}
  \item On \textsc{Cora}, accuracy rises from 81.5 to 84.1.
  \item On \textsc{PubMed}, it does not change: $79.0 \pm 0.3$.
\end{itemize}

Note that these results hold for the default settings only.
▲

\subsection{Ablations}
Removing the attention layer lowers accuracy.
■ latex-listing | latex | manual/usage.tex | space 2
\subsection{Usage}

▼
\begin{verbatim}
tool run
\end{verbatim}
◆
\begin{lstlisting}[language=bash]
# Install the tool, then run it:
tool install --user
tool run -- "$@"
\end{lstlisting}

The output is:

\begin{verbatim}
1 | ok
2 | ok
\end{verbatim}
▲

See also Section~\ref{sec:options}.
■ markdown-install | markdown | README.md | space 2
# httpkit

▼
## Install

Run npm install httpkit.
◆
## Installation

Here's the command for npm:

´´´sh
npm install httpkit
´´´

Or, with Yarn:

´´´sh
yarn add httpkit
´´´

Let me know if you have any questions by opening an issue.
▲

## License

MIT
■ markdown-fences | markdown | docs/markdown-guide.md | space 2
# Markdown guide

▼
## Code

Use backticks.
◆
## Code blocks

Put three backticks before and after the code. Name the language after the opening fence:

´´´´markdown
´´´python
print("hello")
´´´
´´´´

A fence of four backticks can contain a fence of three. Tildes work too:

~~~text
plain text
~~~
▲

## Tables

| a | b |
|---|---|
■ markdown-diff | markdown | docs/contributing.md | space 2
## Patches

▼
Send a patch.
◆
Send a patch as a unified diff. A change of one line is:

´´´diff
--- a/src/index.js
+++ b/src/index.js
@@ -1,3 +1,3 @@
 import run from './run.js';
-run();
+await run();
´´´
▲

## Reviews

Two maintainers review each patch.
■ markdown-preamble | markdown | docs/prompting.md | space 2
# Prompting

## Answers

▼
Models add a preamble.
◆
Sure! Here's the updated code:

That is how many answers begin. Remove the sentence, and the explanation after the code:

- "I've added error handling."
- "Let me know if you'd like any changes!"
▲

## Limits

An answer has at most 4,096 tokens.
■ markdown-list | markdown | CHANGELOG.md | space 2
# Changelog

## Unreleased

▼
- fixed a bug
◆
- Fixed: the parser no longer drops the last line of a file without a final newline.
- Added: ´--strict´, which rejects unknown keys.
  Note: this is the default in 3.0.
- Removed: Node 18. Use Node 20 or later.
▲

## 2.3.0

- Added: ´--watch´.
■ dockerfile | dockerfile | Dockerfile | space 4
FROM node:22-slim AS build
WORKDIR /app
▼
COPY . .
RUN npm install
RUN npm run build
◆
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm \
    npm ci --no-audit --no-fund
COPY . .
RUN npm run build \
    && npm prune --omit=dev
▲

FROM node:22-slim
COPY --from=build /app/dist /app/dist
CMD ["node", "/app/dist/main.js"]
■ makefile | makefile | Makefile | tab 8
GO ?= go
BIN := bin/server

▼
build:
→go build -o bin/server ./cmd/server
◆
.PHONY: build
build: $(BIN)

$(BIN): $(shell find . -name '*.go')
→@mkdir -p $(@D)
→$(GO) build -trimpath -ldflags '-s -w' -o $@ ./cmd/server
▲

test:
→$(GO) test ./...
■ json-scripts | json | package.json | space 2
{
  "name": "httpkit",
  "version": "1.4.0",
▼
  "scripts": {
    "test": "mocha"
  },
◆
  "type": "module",
  "scripts": {
    "build": "tsc -p .",
    "test": "node --test \"test/**/*.test.js\"",
    "prepack": "npm run build"
  },
▲
  "license": "MIT"
}
■ json-prompt | json | prompts/answers.json | space 2
{
  "system": "You are a helpful assistant.",
▼
  "examples": []
◆
  "examples": [
    {
      "user": "Fix the typo.",
      "assistant": "Here is the fixed text:\n´´´\nhello\n´´´"
    }
  ]
▲
}
■ toml-cargo | toml | Cargo.toml | space 4
[package]
name = "interval"
version = "0.3.1"

▼
[dependencies]
serde = "1"
◆
[features]
default = ["std"]
std = ["serde?/std"]

[dependencies]
serde = { version = "1", optional = true, default-features = false, features = ["derive"] }
▲

[dev-dependencies]
proptest = "1"
■ css-grid | css | src/styles/gallery.css | space 2
.gallery {
▼
  display: flex;
  flex-wrap: wrap;
}

.gallery img {
  width: 200px;
}
◆
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr));
  gap: 1rem;
}

.gallery img {
  inline-size: 100%;
  aspect-ratio: 4 / 3;
  object-fit: cover;
}
▲

@media print {
  .gallery { display: none; }
}
■ vue-template | vue | src/components/TodoList.vue | space 2
<template>
  <section>
▼
    <ul>
      <li v-for="todo in todos">{{ todo.text }}</li>
    </ul>
◆
    <p v-if="todos.length === 0">Nothing to do.</p>
    <ul v-else>
      <li v-for="todo in todos" :key="todo.id">
        <label>
          <input v-model="todo.done" type="checkbox" />
          {{ todo.text }}
        </label>
      </li>
    </ul>
▲
  </section>
</template>

<script setup lang="ts">
import { todos } from '../store';
</script>
■ tsx-button | typescriptreact | src/Button.tsx | space 2
import { type ReactNode } from 'react';

▼
export function Button({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return <button onClick={onClick}>{children}</button>;
}
◆
interface ButtonProps extends React.ComponentProps<'button'> {
  readonly children: ReactNode;
  readonly isBusy?: boolean;
}

export function Button({ children, isBusy = false, ...rest }: ButtonProps) {
  return (
    <button {...rest} aria-busy={isBusy} disabled={isBusy || rest.disabled}>
      {isBusy ? <Spinner /> : children}
    </button>
  );
}
▲

export function Spinner() {
  return <span role="status">Loading…</span>;
}
■ ts-rest | typescript | src/merge.ts | space 2
export interface Options {
  readonly retries: number;
  readonly signal?: AbortSignal;
}

▼
export function merge(a: Options, b: Partial<Options>): Options {
  return Object.assign({}, a, b);
}
◆
/** Merges options. The last ones win. */
export function merge(first: Options, ...rest: readonly Partial<Options>[]): Options {
  const merged = { ...first };
  for (const { signal, ...others } of rest) {
    // ...and an absent signal does not remove the earlier one
    Object.assign(merged, others, signal && { signal });
  }
  return merged;
}
▲

export const defaults: Options = { retries: 3 };
■ ts-prompt | typescript | src/prompt.ts | space 2
const fence = '´´´';

▼
export const systemPrompt = 'Answer with code.';
◆
export const systemPrompt = ´Answer with code only. Do not write "Here's the updated code:".

§{fence}ts
const a = 1;
§{fence}

<think>Reason briefly.</think>´;
▲

export const maxTokens = 4_096;
■ ts-test | typescript | test/clean.test.ts | space 2
import { expect, test } from 'vitest';
import { clean } from '../src/clean.ts';

▼
test('clean', () => {
  expect(clean('a')).toBe('a');
});
◆
test('clean removes a preamble', () => {
  expect(clean('Sure, here it is:\n\na')).toBe('a');
  expect(clean("I'm sorry, but I can't help with that.")).toBe('');
});
▲

test('clean removes nothing from an empty text', () => {
  expect(clean('')).toBe('');
});
■ python-ellipsis | python | stubs/client.pyi | space 4
from typing import Protocol, overload

class Client(Protocol):
▼
    def get(self, url): ...
    def post(self, url, data): ...
◆
    @overload
    def get(self, url: str) -> bytes: ...
    @overload
    def get(self, url: str, *, text: bool) -> str: ...
    def post(self, url: str, data: bytes | None = ...) -> bytes: ...
    # The rest of the methods are inherited.
▲

class AsyncClient(Protocol):
    async def get(self, url: str) -> bytes: ...
■ python-module-doc | python | tools/release.py | space 4
#!/usr/bin/env python3
▼
"""Release script."""
◆
"""Here is the release script of the project.

Usage:

    tools/release.py 1.2.0

Note: it creates a tag but does not push. The following steps are manual:

1. Push the tag.
2. Publish the package.
"""
▲

import argparse
import subprocess
■ python-async | python | app/fetch.py | space 4
class Fetcher:
    def __init__(self, session):
        self.session = session

    async def fetch(self, url):
▼
        response = await self.session.get(url)
        return await response.json()
◆
        for attempt in range(3):
            async with self.session.get(url) as response:
                if response.status == 429:
                    await asyncio.sleep(2**attempt)
                    continue
                response.raise_for_status()
                return await response.json()
        raise TooManyRequests(url)
▲

    async def close(self):
        await self.session.close()
■ haskell-fold | haskell | src/Stats.hs | space 2
module Stats (mean) where

▼
mean :: [Double] -> Double
mean xs = sum xs / fromIntegral (length xs)
◆
-- | The arithmetic mean, or 'Nothing' for an empty list.
mean :: Foldable f => f Double -> Maybe Double
mean xs
  | n == 0 = Nothing
  | otherwise = Just (total / fromIntegral (n :: Int))
  where
    (total, n) = foldl' step (0, 0) xs
    step (t, c) x = (t + x, c + 1)
▲

variance :: [Double] -> Double
variance = undefined
■ elixir-pipe | elixir | lib/shop/cart.ex | space 2
defmodule Shop.Cart do
  alias Shop.Item

▼
  def total(items) do
    Enum.reduce(items, 0, fn i, acc -> acc + i.price end)
  end
◆
  @doc """
  Returns the total in cents.

      iex> Shop.Cart.total([])
      0
  """
  def total(items, opts \\ []) do
    items
    |> Enum.map(fn %Item{price: price, count: count} -> price * count end)
    |> Enum.sum()
    |> discount(opts[:discount])
  end
▲

  defp discount(total, nil), do: total
  defp discount(total, percent), do: div(total * (100 - percent), 100)
end
■ perl-args | perl | bin/count.pl | space 4
use strict;
use warnings;

sub count {
▼
    my ($file) = @_;
    open(FH, $file);
    my @lines = <FH>;
    return scalar @lines;
◆
    my ($path) = @_;
    open my $handle, '<', $path or die "Cannot open $path: $!";
    my $lines = 0;
    $lines++ while <$handle>;
    close $handle;
    return $lines;
▲
}

print count($_), "\n" for @ARGV;
■ dart-widget | dart | lib/counter.dart | space 2
class _CounterState extends State<Counter> {
  int _count = 0;

  @override
  Widget build(BuildContext context) {
▼
    return Text('$_count');
◆
    return Column(
      children: [
        Text('$_count', style: Theme.of(context).textTheme.headlineMedium),
        FilledButton(
          onPressed: () => setState(() => _count++),
          child: const Text('Add'),
        ),
      ],
    );
▲
  }
}
■ scala-match | scala | src/main/scala/Eval.scala | space 2
object Eval {
  def eval(e: Expr): Either[String, Int] =
▼
    e match {
      case Num(n) => Right(n)
      case Add(a, b) => Right(eval(a).right.get + eval(b).right.get)
    }
◆
    e match {
      case Num(n) => Right(n)
      case Add(a, b) =>
        for {
          x <- eval(a)
          y <- eval(b)
        } yield x + y
      case Div(_, Num(0)) => Left("division by zero")
      case other => Left(s"unsupported: $other")
    }
▲
}
■ powershell | powershell | scripts/Backup.ps1 | space 4
param(
    [Parameter(Mandatory)]
    [string]$Path
)

▼
Copy-Item $Path "$Path.bak"
◆
$stamp = Get-Date -Format 'yyyyMMdd-HHmmss'
$target = "$Path.$stamp.bak"

try {
    Copy-Item -LiteralPath $Path -Destination $target -ErrorAction Stop
    Write-Output $target
}
catch {
    Write-Error "Backup of '$Path' failed: $_"
    exit 1
}
▲
■ terraform | terraform | infra/bucket.tf | space 2
provider "aws" {
  region = var.region
}

▼
resource "aws_s3_bucket" "logs" {
  bucket = "logs"
}
◆
resource "aws_s3_bucket" "logs" {
  bucket_prefix = "§{var.project}-logs-"
  force_destroy = false

  tags = {
    Project = var.project
  }
}

resource "aws_s3_bucket_versioning" "logs" {
  bucket = aws_s3_bucket.logs.id

  versioning_configuration {
    status = "Enabled"
  }
}
▲

output "bucket" {
  value = aws_s3_bucket.logs.arn
}
■ proto | proto3 | proto/shop.proto | space 2
syntax = "proto3";

package shop.v1;

▼
message Item {
  string name = 1;
  int32 price = 2;
}
◆
// An item of a cart.
message Item {
  reserved 2;
  reserved "price";

  string name = 1;
  int64 price_cents = 3;
  repeated string labels = 4;
}
▲

message Cart {
  repeated Item items = 1;
}
■ plaintext-mail | plaintext | templates/welcome.txt | space 4
Subject: Welcome

▼
hi, your account is ready.
◆
Hi {{ name }},

Your account is ready. Here is your sign-in link:

    {{ link }}

If you have any questions, let us know. We're happy to help!

Best regards,
The Shop Team
▲

--
Unsubscribe: {{ unsubscribe }}
■ html-pre | html | docs/api.html | space 2
<main>
  <h1>API</h1>
▼
  <p>Call the API.</p>
◆
  <p>Here is an example request:</p>
  <pre><code class="language-http">GET /v1/items?limit=10 HTTP/1.1
Host: api.example.com
Accept: application/json
</code></pre>
  <p>The answer is a list. Note: it is empty if there are no items.</p>
▲
  <h2>Errors</h2>
</main>
■ jinja | jinja | templates/base.html.j2 | space 2
<body>
  {% block header %}{% endblock %}
▼
  {% for item in items %}
  {{ item }}
  {% endfor %}
◆
  <ul>
    {% for item in items if item.visible %}
      <li{% if loop.first %} class="first"{% endif %}>{{ item.name | e }}</li>
    {% else %}
      <li>No items.</li>
    {% endfor %}
  </ul>
▲
  {% block footer %}{% endblock %}
</body>
■ rst | restructuredtext | docs/usage.rst | space 3
Usage
=====

▼
Run the tool.
◆
The following example shows the basic usage:

.. code-block:: python

   from httpkit import get

   print(get("https://example.com").status)

.. note::

   The client follows at most five redirects.
▲

Options
-------
■ java-javadoc | java | src/main/java/shop/Money.java | space 4
package shop;

public final class Money {
    private final long cents;

▼
    public Money(long cents) { this.cents = cents; }

    public Money add(Money m) { return new Money(cents + m.cents); }
◆
    private Money(long cents) {
        this.cents = cents;
    }

    /**
     * Here's an example:
     *
     * <pre>{@code
     * Money total = Money.ofCents(100).plus(Money.ofCents(50));
     * }</pre>
     */
    public static Money ofCents(long cents) {
        return new Money(cents);
    }

    public Money plus(Money other) {
        return new Money(Math.addExact(cents, other.cents));
    }
▲

    @Override
    public String toString() {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
`;

/** A selection in a file and its replacement. */
export interface FreshCase {
  readonly name: string;
  readonly language: string;
  readonly path: string;
  readonly usesTabs: boolean;
  readonly tabSize: number;
  readonly before: readonly string[];
  readonly original: readonly string[];
  readonly right: readonly string[];
  readonly after: readonly string[];
}

interface FixtureEntry extends Pick<
  FreshCase,
  'name' | 'language' | 'path' | 'usesTabs' | 'tabSize'
> {
  readonly lines: readonly string[];
}

/** Splits a fixture into its entries. */
export const parseFixture = (fixture: string): readonly FixtureEntry[] =>
  fixture
    .split('\n■ ')
    .slice(1)
    .map((entry) => {
      const [head = '', ...lines] = entry
        .replace(/\n$/u, '')
        .replaceAll('→', '\t')
        .replaceAll('´', '`')
        .replaceAll('§', '$')
        .split('\n');
      const [name = '', language = '', path = '', indentation = ''] = head.split(' | ');
      const usesTabs = indentation.startsWith('tab');
      return { name, language, path, usesTabs, tabSize: Number(indentation.split(' ')[1]), lines };
    });

export const freshCases: readonly FreshCase[] = parseFixture(source).map(({ lines, ...entry }) => {
  const [selected = 0, replaced, completed = 0] = ['▼', '◆', '▲'].map((mark) =>
    lines.indexOf(mark),
  );
  return {
    ...entry,
    before: lines.slice(0, selected),
    original: lines.slice(selected + 1, replaced),
    right: lines.slice((replaced ?? 0) + 1, completed),
    after: lines.slice(completed + 1),
  };
});
