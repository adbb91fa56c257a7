import { parseFixture } from './fresh-corpus.fixture.ts';

/**
 * Files and their changes, for code blocks that apply to a file. Each replacement was written by hand. The format is that
 * of `fresh-corpus.fixture.ts`, with several changes per file.
 *
 * Entries with a package are excerpts of that npm package, under its license:
 *
 * - MIT License: react-native (© Meta Platforms, Inc. and affiliates), `@capacitor/ios` (© 2017-present Drifty Co.),
 *   edge-js (© 2012-2025 Tomasz Janczuk; one header © .NET Foundation and contributors), bootstrap (© 2011-2026 The
 *   Bootstrap Authors), `@fastify/ajv-compiler` (© 2022-present The Fastify team), `@fastify/forwarded` (© 2014-2017
 *   Douglas Christopher Wilson), pino (© 2016-present Matteo Collina, David Mark Clements and the Pino contributors), ajv
 *   (© 2015-2021 Evgeny Poberezkin), vitest (© 2021-present VoidZero Inc. and Vitest contributors).
 * - Apache License 2.0: ai (© 2023 Vercel, Inc.).
 * - BSD 3-Clause License: fast-uri, as bundled with ajv (© 2011-2021 Gary Court, © 2021-present The Fastify team).
 * - BSD 2-Clause or Apache License 2.0: packaging, as bundled with node-gyp (© Donald Stufft and individual contributors).
 */
const source = String.raw`
■ yoga-unit | java | ReactAndroid/src/main/java/com/facebook/yoga/YogaUnit.java | space 2 | react-native
package com.facebook.yoga;

public enum YogaUnit {
  UNDEFINED(0),
  POINT(1),
  PERCENT(2),
  AUTO(3),
  MAX_CONTENT(4),
▼
  FIT_CONTENT(5),
  STRETCH(6);
◆
  FIT_CONTENT(5),
  STRETCH(6),
  MIN_CONTENT(7);
▲

  private final int mIntValue;

  YogaUnit(int intValue) {
    mIntValue = intValue;
  }

  public int intValue() {
    return mIntValue;
  }

  public static YogaUnit fromInt(int value) {
    switch (value) {
      case 0: return UNDEFINED;
      case 1: return POINT;
      case 2: return PERCENT;
      case 3: return AUTO;
      case 4: return MAX_CONTENT;
      case 5: return FIT_CONTENT;
      case 6: return STRETCH;
▼
◆
      case 7: return MIN_CONTENT;
▲
      default: throw new IllegalArgumentException("Unknown enum value: " + value);
    }
  }
}
■ hermes-executor | kotlin | ReactAndroid/src/main/java/com/facebook/hermes/reactexecutor/HermesExecutor.kt | space 2 | react-native
package com.facebook.hermes.reactexecutor

import com.facebook.jni.HybridData
import com.facebook.jni.annotations.DoNotStrip
import com.facebook.react.bridge.JavaScriptExecutor
import com.facebook.react.common.build.ReactBuildConfig
import com.facebook.soloader.SoLoader

public class HermesExecutor internal constructor(enableDebugger: Boolean, debuggerName: String) :
    JavaScriptExecutor(initHybridDefaultConfig(enableDebugger, debuggerName)) {

  override fun getName(): String = "HermesExecutor$mode"

  public companion object {
    private var mode: String? = null

    init {
      loadLibrary()
    }

    @JvmStatic
    @Throws(UnsatisfiedLinkError::class)
    public fun loadLibrary() {
▼
      if (mode == null) {
        // libhermesvm must be loaded explicitly to invoke its JNI_OnLoad.
        SoLoader.loadLibrary("hermesvm")
        SoLoader.loadLibrary("hermes_executor")
        // libhermes_executor is built differently for Debug & Release so we load the proper mode.
        mode = if (ReactBuildConfig.DEBUG) "Debug" else "Release"
      }
◆
      if (mode != null) {
        return
      }
      // libhermesvm must be loaded explicitly to invoke its JNI_OnLoad.
      SoLoader.loadLibrary("hermesvm")
      SoLoader.loadLibrary("hermes_executor")
      mode = if (ReactBuildConfig.DEBUG) "Debug" else "Release"
▲
    }

    @DoNotStrip
    @JvmStatic
    private external fun initHybridDefaultConfig(
        enableDebugger: Boolean,
        debuggerName: String,
    ): HybridData

    @DoNotStrip
    @JvmStatic
    private external fun initHybrid(
        enableDebugger: Boolean,
        debuggerName: String,
        heapSizeMB: Long,
    ): HybridData
  }
}
■ hermes-overloads | kotlin | ReactAndroid/src/main/java/com/facebook/hermes/reactexecutor/HermesExecutor.kt | space 2 | react-native
  override fun getName(): String = "HermesExecutor$mode"

  public companion object {
    private var mode: String? = null

    init {
      loadLibrary()
    }

    @JvmStatic
    @Throws(UnsatisfiedLinkError::class)
    public fun loadLibrary() {
      if (mode == null) {
        // libhermesvm must be loaded explicitly to invoke its JNI_OnLoad.
        SoLoader.loadLibrary("hermesvm")
        SoLoader.loadLibrary("hermes_executor")
        // libhermes_executor is built differently for Debug & Release so we load the proper mode.
        mode = if (ReactBuildConfig.DEBUG) "Debug" else "Release"
      }
    }

    @DoNotStrip
    @JvmStatic
    private external fun initHybridDefaultConfig(
        enableDebugger: Boolean,
        debuggerName: String,
    ): HybridData

    @DoNotStrip
    @JvmStatic
    private external fun initHybrid(
        enableDebugger: Boolean,
▼
        debuggerName: String,
        heapSizeMB: Long,
◆
        debuggerName: String,
        heapSizeMB: Long,
        stackSizeKB: Long,
▲
    ): HybridData
  }
}
■ addition-node | kotlin | ReactAndroid/src/main/java/com/facebook/react/animated/AdditionAnimatedNode.kt | space 2 | react-native
package com.facebook.react.animated

import com.facebook.react.bridge.JSApplicationCausedNativeException
import com.facebook.react.bridge.ReadableMap

/**
 * Animated node that plays a role of value aggregator. It takes two or more value nodes as an input
 * and outputs a sum of values outputted by those nodes.
 */
internal class AdditionAnimatedNode(
    config: ReadableMap,
    private val nativeAnimatedNodesManager: NativeAnimatedNodesManager,
) : ValueAnimatedNode() {

  private val inputNodes: IntArray

  init {
▼
    val input = config.getArray("input")
    inputNodes =
        if (input == null) {
          IntArray(0)
        } else {
          IntArray(input.size()) { i -> input.getInt(i) }
        }
◆
    val input = config.getArray("input")
    inputNodes = IntArray(input?.size() ?: 0) { i -> input!!.getInt(i) }
▲
  }

  override fun update() {
▼
    nodeValue = 0.0
    nodeValue +=
        inputNodes.fold(
            0.0,
            { acc, id ->
              val animatedNode = nativeAnimatedNodesManager.getNodeById(id)
              if (animatedNode is ValueAnimatedNode) {
                acc + animatedNode.getValue()
              } else {
                throw JSApplicationCausedNativeException(
                    "Illegal node ID set as an input for Animated.Add node"
                )
              }
            },
        )
◆
    nodeValue = inputNodes.sumOf { id ->
      val node = nativeAnimatedNodesManager.getNodeById(id)
      (node as? ValueAnimatedNode)?.getValue()
          ?: throw JSApplicationCausedNativeException("Illegal node ID: $id")
    }
▲
  }

  override fun prettyPrint(): String =
      "AdditionAnimatedNode[§{tag}]: input nodes: §{inputNodes.joinToString()} - super: §{super.prettyPrint()}"
}
■ js-engine | ruby | scripts/cocoapods/jsengine.rb | space 2 | react-native
require_relative './utils.rb'

# It sets up the Hermes.
#
# @parameter react_native_path: relative path to react-native
# @parameter fabric_enabled: whether Fabirc is enabled
def setup_hermes!(react_native_path: "../node_modules/react-native")
    react_native_dir = Pod::Config.instance.installation_root.join(react_native_path)
    # This ´:tag => hermestag´ below is only to tell CocoaPods to update hermes-engine when React Native version changes.
    # We have custom logic to compute the source for hermes-engine. See sdks/hermes-engine/*
    hermestag_file_name = ENV['RCT_HERMES_V1_ENABLED'] == "1" ? ".hermesv1version" : ".hermesversion"
    hermestag_file = File.join(react_native_dir, "sdks", hermestag_file_name)
    hermestag = File.exist?(hermestag_file) ? File.read(hermestag_file).strip : ''
    pod 'hermes-engine', :podspec => "#{react_native_path}/sdks/hermes-engine/hermes-engine.podspec", :tag => hermestag
    pod 'React-hermes', :path => "#{react_native_path}/ReactCommon/hermes"
end

def use_third_party_jsc
  return ENV['USE_THIRD_PARTY_JSC'] == '1'
end

# use Hermes is the default. The only other option is the third-party JSC
# if the 3rd party JSC is not true, we always want to use Hermes.
def use_hermes
  return !use_third_party_jsc()
end

def use_hermes_flags
  return "-DUSE_HERMES=1"
end

def use_third_party_jsc_flags
  return "-DUSE_THIRD_PARTY_JSC=1"
end

▼
def js_engine_flags()
  if use_hermes()
    return use_hermes_flags()
  else
    return use_third_party_jsc_flags()
  end
end
◆
def js_engine_flags()
  use_hermes() ? use_hermes_flags() : use_third_party_jsc_flags()
end
▲

# Utility function to depend on JS engine based on the environment variable.
def depend_on_js_engine(s)
  if use_hermes()
    s.dependency 'hermes-engine'
  elsif use_third_party_jsc()
    s.dependency 'React-jsc'
  end
end
■ js-engine-flags | ruby | scripts/cocoapods/jsengine.rb | space 2 | react-native
def use_third_party_jsc
  return ENV['USE_THIRD_PARTY_JSC'] == '1'
end

# use Hermes is the default. The only other option is the third-party JSC
# if the 3rd party JSC is not true, we always want to use Hermes.
▼
def use_hermes
  return !use_third_party_jsc()
end
◆
def use_hermes
  return true if ENV['USE_HERMES'] == '1'

  !use_third_party_jsc()
end
▲

def use_hermes_flags
  return "-DUSE_HERMES=1"
end

def use_third_party_jsc_flags
  return "-DUSE_THIRD_PARTY_JSC=1"
end

def js_engine_flags()
  if use_hermes()
    return use_hermes_flags()
  else
    return use_third_party_jsc_flags()
  end
end

# Utility function to depend on JS engine based on the environment variable.
def depend_on_js_engine(s)
  if use_hermes()
    s.dependency 'hermes-engine'
  elsif use_third_party_jsc()
▼
    s.dependency 'React-jsc'
  end
◆
    s.dependency 'React-jsc'
  else
    raise 'No JavaScript engine is enabled'
  end
▲
end
■ tracking-node | objective-c | Libraries/NativeAnimation/Nodes/RCTTrackingAnimatedNode.mm | space 2 | react-native
#import <React/RCTNativeAnimatedNodesManager.h>
#import <React/RCTTrackingAnimatedNode.h>
#import <React/RCTValueAnimatedNode.h>

@implementation RCTTrackingAnimatedNode {
  NSNumber *_animationId;
  NSNumber *_toValueNodeTag;
  NSNumber *_valueNodeTag;
▼
  NSMutableDictionary *_animationConfig;
◆
  NSMutableDictionary *_animationConfig;
  BOOL _isDetached;
▲
}

- (instancetype)initWithTag:(NSNumber *)tag config:(NSDictionary<NSString *, id> *)config
{
  if ((self = [super initWithTag:tag config:config]) != nullptr) {
    _animationId = config[@"animationId"];
    _toValueNodeTag = config[@"toValue"];
    _valueNodeTag = config[@"value"];
    _animationConfig = [NSMutableDictionary dictionaryWithDictionary:config[@"animationConfig"]];
  }
  return self;
}

- (void)onDetachedFromNode:(RCTAnimatedNode *)parent
{
▼
  [self.manager stopAnimation:_animationId];
  [super onDetachedFromNode:parent];
◆
  _isDetached = YES;
  [self.manager stopAnimation:_animationId];
  [super onDetachedFromNode:parent];
▲
}

- (void)performUpdate
{
▼
  [super performUpdate];

◆
  [super performUpdate];
  if (_isDetached) {
    return;
  }

▲
  // change animation config's "toValue" to reflect updated value of the parent node
  RCTValueAnimatedNode *node = (RCTValueAnimatedNode *)[self.parentNodes objectForKey:_toValueNodeTag];
  _animationConfig[@"toValue"] = @(node.value);

  [self.manager startAnimatingNode:_animationId nodeTag:_valueNodeTag config:_animationConfig endCallback:nil];
}

@end
■ app-delegate | swift | Capacitor/Capacitor/CAPApplicationDelegateProxy.swift | space 4 | @capacitor/ios
import Foundation

@objc(CAPApplicationDelegateProxy)
public class ApplicationDelegateProxy: NSObject, UIApplicationDelegate {
    public static let shared = ApplicationDelegateProxy()

    public internal(set) var lastURL: URL?

    public func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]) -> Bool {
        NotificationCenter.default.post(name: .capacitorOpenURL, object: [
            "url": url,
            "options": options
        ])
        NotificationCenter.default.post(name: NSNotification.Name.CDVPluginHandleOpenURL, object: url)
        lastURL = url
        return true
    }

    public func application(_ application: UIApplication, continue userActivity: NSUserActivity, restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void) -> Bool {
▼
        // TODO: Support other types, emit to rest of plugins
        if userActivity.activityType != NSUserActivityTypeBrowsingWeb || userActivity.webpageURL == nil {
            return false
        }

        let url = userActivity.webpageURL
        lastURL = url
        NotificationCenter.default.post(name: .capacitorOpenUniversalLink, object: [
            "url": url
        ])
◆
        guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else {
            return false
        }

        lastURL = url
        NotificationCenter.default.post(name: .capacitorOpenUniversalLink, object: ["url": url])
▲
        return true
    }
}
■ http-plugin | swift | Capacitor/Capacitor/Plugins/CapacitorHttp.swift | space 4 | @capacitor/ios
import Foundation

@objc(CAPHttpPlugin)
public class CAPHttpPlugin: CAPPlugin, CAPBridgedPlugin {
    public let identifier = "CAPHttpPlugin"
    public let jsName = "CapacitorHttp"
    public let pluginMethods: [CAPPluginMethod] = [
        CAPPluginMethod(name: "request", returnType: CAPPluginReturnPromise),
        CAPPluginMethod(name: "get", returnType: CAPPluginReturnPromise),
        CAPPluginMethod(name: "post", returnType: CAPPluginReturnPromise),
        CAPPluginMethod(name: "put", returnType: CAPPluginReturnPromise),
        CAPPluginMethod(name: "patch", returnType: CAPPluginReturnPromise),
▼
        CAPPluginMethod(name: "delete", returnType: CAPPluginReturnPromise)
◆
        CAPPluginMethod(name: "delete", returnType: CAPPluginReturnPromise),
        CAPPluginMethod(name: "head", returnType: CAPPluginReturnPromise)
▲
    ]

    @objc func http(_ call: CAPPluginCall, _ httpMethod: String?) {
        do {
            if let clazz = NSClassFromString("SSLPinningHttpRequestHandlerClass") {
                // swiftlint:disable force_cast
                (clazz as! NSObject.Type).perform(#selector(self.request(_:)), with: [
                    "call": call,
                    "httpMethod": httpMethod as Any,
                    "config": self.bridge?.config as Any
                ])
                // swiftlint:enable force_cast
            } else {
                try HttpRequestHandler.request(call, httpMethod, self.bridge?.config)
            }
        } catch let error {
            call.reject(error.localizedDescription)
        }
    }

    @objc func request(_ call: CAPPluginCall) {
        http(call, nil)
    }

    @objc func get(_ call: CAPPluginCall) {
        http(call, "GET")
    }

    @objc func post(_ call: CAPPluginCall) {
        http(call, "POST")
    }

    @objc func put(_ call: CAPPluginCall) {
        http(call, "PUT")
    }

    @objc func patch(_ call: CAPPluginCall) {
        http(call, "PATCH")
    }

▼
    @objc func delete(_ call: CAPPluginCall) {
        http(call, "DELETE")
    }
}
◆
    @objc func delete(_ call: CAPPluginCall) {
        http(call, "DELETE")
    }

    @objc func head(_ call: CAPPluginCall) {
        http(call, "HEAD")
    }
}
▲
■ http-patch | swift | Capacitor/Capacitor/Plugins/CapacitorHttp.swift | space 4 | @capacitor/ios
    @objc func request(_ call: CAPPluginCall) {
        http(call, nil)
    }

    @objc func get(_ call: CAPPluginCall) {
        http(call, "GET")
    }

    @objc func post(_ call: CAPPluginCall) {
        http(call, "POST")
    }

    @objc func put(_ call: CAPPluginCall) {
        http(call, "PUT")
    }

    @objc func patch(_ call: CAPPluginCall) {
▼
        http(call, "PATCH")
◆
        http(call, call.getString("method") ?? "PATCH")
▲
    }

    @objc func delete(_ call: CAPPluginCall) {
        http(call, "DELETE")
    }
}
■ throw-exception | cpp | src/common/utils.cpp | tab 4 | edge-js
#include "edge_common.h"

v8::Local<Value> throwV8Exception(v8::Local<Value> exception)
{
    Nan::EscapableHandleScope scope;
    Nan::ThrowError(exception);
    return scope.Escape(exception);
}

v8::Local<Value> throwV8Exception(const char* format, ...)
{
→va_list args;
→va_start(args, format);

▼
→size_t size = vsnprintf(NULL, 0, format, args);
→char* message = new char[size + 1];

→va_start(args, format);
→vsnprintf(message, size + 1, format, args);
◆
→va_list copy;
→va_copy(copy, args);
→int size = vsnprintf(NULL, 0, format, copy);
→va_end(copy);

→std::vector<char> message(size + 1);
→vsnprintf(message.data(), message.size(), format, args);
→va_end(args);
▲

→Nan::EscapableHandleScope scope;

→v8::Local<v8::Object> exception = Nan::New<v8::Object>();
#if defined(V8_MAJOR_VERSION) && (V8_MAJOR_VERSION >= 14)
→exception->SetPrototypeV2(Nan::GetCurrentContext(), v8::Exception::Error(Nan::New<v8::String>(message).ToLocalChecked()));
#else
→exception->SetPrototype(Nan::GetCurrentContext(), v8::Exception::Error(Nan::New<v8::String>(message).ToLocalChecked()));
#endif

→v8::Local<v8::Value> exceptionValue = exception;
→Nan::ThrowError(exceptionValue);

→return scope.Escape(exception);
}
■ invoke-context | csharp | src/mono/clrfuncinvokecontext.cs | space 4 | edge-js
using System;
using System.Threading.Tasks;
using System.Runtime.CompilerServices;

class ClrFuncInvokeContext
{
#pragma warning disable 649 // assigned from clrfuncinvokecontext.cpp through embedding APIs
    IntPtr native;
#pragma warning disable 169 // assigned from clrfuncinvokecontext.cpp through embedding APIs
    Object Payload;
    Task<Object> Task;
    bool Sync;
#pragma warning restore 169
#pragma warning restore 649

    [MethodImplAttribute(MethodImplOptions.InternalCall)]
    static extern void CompleteOnCLRThreadICall(IntPtr ptr, Task<object> task);

    internal void CompleteOnCLRThread(Task<object> task)
    {
        CompleteOnCLRThreadICall(native, task);
    }

    [MethodImplAttribute(MethodImplOptions.InternalCall)]
    static extern void CompleteOnV8ThreadAsynchronousICall(IntPtr ptr);

▼
    void CompleteOnV8ThreadAsynchronous()
    {
        CompleteOnV8ThreadAsynchronousICall(native);
    }

    public Action GetCompleteOnV8ThreadAsynchronousAction()
    {
        return new Action(CompleteOnV8ThreadAsynchronous);
    }
◆
    void CompleteOnV8ThreadAsynchronous() => CompleteOnV8ThreadAsynchronousICall(native);

    public Action GetCompleteOnV8ThreadAsynchronousAction() => CompleteOnV8ThreadAsynchronous;
▲
};
■ pal-utils | cpp | src/CoreCLREmbedding/pal/pal_utils.h | tab 4 | edge-js
#ifndef UTILS_H
#define UTILS_H

#include "pal.h"
▼
◆
#include <string>
#include <unordered_map>
#include <vector>
▲

#define _STRINGIFY(s) _X(s)

bool ends_with(const pal::string_t& value, const pal::string_t& suffix, bool match_case);
bool starts_with(const pal::string_t& value, const pal::string_t& prefix, bool match_case);
pal::string_t get_executable(const pal::string_t& filename);
pal::string_t get_directory(const pal::string_t& path);
pal::string_t strip_file_ext(const pal::string_t& path);
pal::string_t get_filename(const pal::string_t& path);
pal::string_t get_filename_without_ext(const pal::string_t& path);
void append_path(pal::string_t* path1, const pal::char_t* path2);
bool library_exists_in_dir(const pal::string_t& lib_dir, const pal::string_t& lib_name, pal::string_t* p_lib_path);
bool coreclr_exists_in_dir(const pal::string_t& candidate);
void replace_char(pal::string_t* path, pal::char_t match, pal::char_t repl);
const pal::char_t* get_arch();
pal::string_t get_last_known_arg(
▼
→const std::unordered_map<pal::string_t, std::vector<pal::string_t>>& opts,
→const pal::string_t& opt_key,
→const pal::string_t& de_fault);
◆
→const std::unordered_map<pal::string_t, std::vector<pal::string_t>>& options,
→const pal::string_t& key,
→const pal::string_t& fallback);
▲
bool parse_known_args(
→const int argc,
→const pal::char_t* argv[],
→const std::vector<pal::string_t>& known_opts,
→std::unordered_map<pal::string_t, std::vector<pal::string_t>>* opts,
→int* num_args);
bool skip_utf8_bom(pal::ifstream_t* stream);
#endif
■ mac-framework | shellscript | sdks/hermes-engine/utils/build-mac-framework.sh | space 2 | react-native
▼
if [ "$CI" ]; then
  set -x
fi
set -e
◆
set -euo pipefail
if [ -n "§{CI:-}" ]; then
  set -x
fi
▲

# shellcheck source=xplat/js/react-native-github/sdks/hermes-engine/utils/build-apple-framework.sh
CURR_SCRIPT_DIR="$(cd "$(dirname "§{BASH_SOURCE[0]}")" && pwd -P)"
. "§{CURR_SCRIPT_DIR}/build-apple-framework.sh"

if [ ! -d destroot/Library/Frameworks/macosx/hermesvm.framework ]; then
    mac_deployment_target=$(get_mac_deployment_target)

    build_apple_framework "macosx" "x86_64;arm64" "$mac_deployment_target"
else
▼
    echo "Skipping; Clean \"destroot\" to rebuild".
◆
    echo 'Skipping; clean "destroot" to rebuild.' >&2
▲
fi
■ dismiss-trigger | javascript | js/src/util/component-functions.js | space 2 | bootstrap
import EventHandler from '../dom/event-handler.js'
import SelectorEngine from '../dom/selector-engine.js'
import { isDisabled } from './index.js'

const enableDismissTrigger = (component, method = 'hide') => {
  const clickEvent = ´click.dismiss§{component.EVENT_KEY}´
  const name = component.NAME

▼
  EventHandler.on(document, clickEvent, ´[data-bs-dismiss="§{name}"]´, function (event) {
    if (['A', 'AREA'].includes(this.tagName)) {
      event.preventDefault()
    }

    if (isDisabled(this)) {
      return
    }
◆
  EventHandler.on(document, clickEvent, ´[data-bs-dismiss="§{name}"]´, function (event) {
    const isLink = ['A', 'AREA'].includes(this.tagName)
    if (isLink) {
      event.preventDefault()
    }

    if (isDisabled(this) || event.defaultPrevented !== isLink) {
      return
    }
▲

    const target = SelectorEngine.getElementFromSelector(this) || this.closest(´.§{name}´)
    const instance = component.getOrCreateInstance(target)

    // Method argument is left, for Alert and only, as it doesn't implement the 'hide' method
    instance[method]()
  })
}

export {
  enableDismissTrigger
}
■ static-renderer | javascript | Libraries/Components/StaticRenderer.js | space 2 | react-native
'use strict';

import * as React from 'react';

type Props = Readonly<{
  /**
   * Indicates whether the render function needs to be called again
   */
  shouldUpdate: boolean,
  /**
   * () => renderable
   * A function that returns a renderable component
   */
  render: () => React.Node,
}>;

▼
class StaticRenderer extends React.Component<Props> {
  shouldComponentUpdate(nextProps: Props): boolean {
    return nextProps.shouldUpdate;
  }

  render(): React.Node {
    return this.props.render();
  }
}
◆
function StaticRenderer({render}: Props): React.Node {
  return render();
}
▲

▼
export default StaticRenderer;
◆
export default React.memo(StaticRenderer, (_, next) => !next.shouldUpdate);
▲
■ extended-error | javascript | Libraries/Core/ExtendedError.js | space 2 | react-native
export type ExtendedError = Error &
  interface {
    jsEngine?: string,
    preventSymbolication?: boolean,
    componentStack?: string,
    isComponentError?: boolean,
    type?: string,
▼
    // Note: A field keyed by the Symbol ExceptionsManager.decoratedExtraDataKey is also read from ExtendedErrors.
    // This field isn't documented in the types as Flow does not support this usecase, but it's effectively:
    // [decoratedExtraDataKey]?: {[string]: mixed},

◆
    // [decoratedExtraDataKey]?: {[string]: mixed},

▲
    // Included for native errors
    cause?: {
      name: string,
      message: string,
▼
      // $FlowFixMe[unclear-type]
      stackElements?: ReadonlyArray<Object>,
      // $FlowFixMe[unclear-type]
      stackSymbols?: ReadonlyArray<Object>,
      // $FlowFixMe[unclear-type]
      stackReturnAddresses?: ReadonlyArray<Object>,
◆
      stackElements?: ReadonlyArray<unknown>,
      stackSymbols?: ReadonlyArray<unknown>,
      stackReturnAddresses?: ReadonlyArray<unknown>,
▲
    },
  };
■ containers | scss | scss/_containers.scss | space 2 | bootstrap
// Container widths
//
// Set the container width, and override it for fixed navbars in media queries.

@if $enable-container-classes {
  // Single container class with breakpoint max-widths
  .container,
  // 100% wide container at all breakpoints
  .container-fluid {
    @include make-container();
  }

  // Responsive containers that are 100% wide until a breakpoint
  @each $breakpoint, $container-max-width in $container-max-widths {
    .container-#{$breakpoint} {
      @extend .container-fluid;
    }

    @include media-breakpoint-up($breakpoint, $grid-breakpoints) {
      %responsive-container-#{$breakpoint} {
        max-width: $container-max-width;
      }

▼
      // Extend each breakpoint which is smaller or equal to the current breakpoint
      $extend-breakpoint: true;

      @each $name, $width in $grid-breakpoints {
        @if ($extend-breakpoint) {
          .container#{breakpoint-infix($name, $grid-breakpoints)} {
            @extend %responsive-container-#{$breakpoint};
          }

          // Once the current breakpoint is reached, stop extending
          @if ($breakpoint == $name) {
            $extend-breakpoint: false;
          }
        }
◆
      // Extend each breakpoint up to the current one
      $names: map-keys($grid-breakpoints);

      @for $i from 1 through index($names, $breakpoint) {
        .container#{breakpoint-infix(nth($names, $i), $grid-breakpoints)} {
          @extend %responsive-container-#{$breakpoint};
        }
▲
      }
    }
  }
}
■ labels | scss | scss/forms/_labels.scss | space 2 | bootstrap
//
// Labels
//

.form-label {
  margin-bottom: $form-label-margin-bottom;
  @include font-size($form-label-font-size);
  font-style: $form-label-font-style;
  font-weight: $form-label-font-weight;
  color: $form-label-color;
}

// For use with horizontal and inline forms, when you need the label (or legend)
// text to align with the form controls.
.col-form-label {
  padding-top: add($input-padding-y, $input-border-width);
  padding-bottom: add($input-padding-y, $input-border-width);
  margin-bottom: 0; // Override the ´<legend>´ default
  @include font-size(inherit); // Override the ´<legend>´ default
  font-style: $form-label-font-style;
  font-weight: $form-label-font-weight;
  line-height: $input-line-height;
  color: $form-label-color;
}

▼
.col-form-label-lg {
  padding-top: add($input-padding-y-lg, $input-border-width);
  padding-bottom: add($input-padding-y-lg, $input-border-width);
  @include font-size($input-font-size-lg);
}

.col-form-label-sm {
  padding-top: add($input-padding-y-sm, $input-border-width);
  padding-bottom: add($input-padding-y-sm, $input-border-width);
  @include font-size($input-font-size-sm);
}
◆
@each $size, $padding, $font-size in $form-label-sizes {
  .col-form-label-#{$size} {
    padding-block: add($padding, $input-border-width);
    @include font-size($font-size);
  }
}
▲
■ labels-small | scss | scss/forms/_labels.scss | space 2 | bootstrap
.form-label {
  margin-bottom: $form-label-margin-bottom;
  @include font-size($form-label-font-size);
  font-style: $form-label-font-style;
  font-weight: $form-label-font-weight;
  color: $form-label-color;
}

// For use with horizontal and inline forms, when you need the label (or legend)
// text to align with the form controls.
.col-form-label {
  padding-top: add($input-padding-y, $input-border-width);
  padding-bottom: add($input-padding-y, $input-border-width);
  margin-bottom: 0; // Override the ´<legend>´ default
  @include font-size(inherit); // Override the ´<legend>´ default
  font-style: $form-label-font-style;
  font-weight: $form-label-font-weight;
  line-height: $input-line-height;
  color: $form-label-color;
}

.col-form-label-lg {
  padding-top: add($input-padding-y-lg, $input-border-width);
  padding-bottom: add($input-padding-y-lg, $input-border-width);
  @include font-size($input-font-size-lg);
}

.col-form-label-sm {
▼
  padding-top: add($input-padding-y-sm, $input-border-width);
  padding-bottom: add($input-padding-y-sm, $input-border-width);
◆
  padding-block: add($input-padding-y-sm, $input-border-width);
▲
  @include font-size($input-font-size-sm);
}
■ app-state | typescript | Libraries/AppState/AppState.d.ts | space 2 | react-native
import {NativeEventSubscription} from '../EventEmitter/RCTNativeAppEventEmitter';

/**
 * AppState can tell you if the app is in the foreground or background,
 * and notify you when the state changes.
 *
 * AppState is frequently used to determine the intent and proper behavior
 * when handling push notifications.
 *
 * App State Events
 *      change - This even is received when the app state has changed.
 *      focus [Android] - Received when the app gains focus (the user is interacting with the app).
 *      blur [Android] - Received when the user is not actively interacting with the app.
 *
 * App States
 *      active - The app is running in the foreground
 *      background - The app is running in the background. The user is either in another app or on the home screen
 *      inactive [iOS] - This is a transition state that happens when the app launches, is asking for permissions or when a call or SMS message is received.
 *      unknown [iOS] - Initial value until the current app state is determined
 *      extension [iOS] - The app is running as an app extension
 *
 * For more information, see Apple's documentation: https://developer.apple.com/library/ios/documentation/iPhone/Conceptual/iPhoneOSProgrammingGuide/TheAppLifeCycle/TheAppLifeCycle.html
 *
 * @see https://reactnative.dev/docs/appstate#app-states
 */
export type AppStateEvent = 'change' | 'memoryWarning' | 'blur' | 'focus';
▼
export type AppStateStatus =
  | 'active'
  | 'background'
  | 'inactive'
  | 'unknown'
  | 'extension';
◆
export type AppStateStatus = 'active' | 'background' | 'inactive' | 'unknown' | 'extension';
▲

export interface AppStateStatic {
  currentState: AppStateStatus;
  isAvailable: boolean;

  /**
   * Add a handler to AppState changes by listening to the change event
   * type and providing the handler
   */
  addEventListener(
    type: AppStateEvent,
    listener: (state: AppStateStatus) => void,
▼
  ): NativeEventSubscription;
}
◆
  ): NativeEventSubscription;

  /**
   * Remove all handlers of the event type
   */
  removeAllListeners(type: AppStateEvent): void;
}
▲

export const AppState: AppStateStatic;
export type AppState = AppStateStatic;
■ action-sheet | ruby | Libraries/ActionSheetIOS/React-RCTActionSheet.podspec | space 2 | react-native
require "json"

▼
package = JSON.parse(File.read(File.join(__dir__, "..", "..", "package.json")))
version = package['version']
◆
package = JSON.parse(File.read(File.join(__dir__, '..', '..', 'package.json')))
version = package.fetch('version')
▲

source = { :git => 'https://github.com/react/react-native.git' }
if version == '1000.0.0'
  # This is an unpublished version, use the latest commit hash of the react-native repo, which we’re presumably in.
  source[:commit] = ´git rev-parse HEAD´.strip if system("git rev-parse --git-dir > /dev/null 2>&1")
else
  source[:tag] = "v#{version}"
end

Pod::Spec.new do |s|
  s.name                   = "React-RCTActionSheet"
  s.version                = version
  s.summary                = "An API for displaying iOS action sheets and share sheets."
  s.homepage               = "https://reactnative.dev/"
  s.documentation_url      = "https://reactnative.dev/docs/actionsheetios"
  s.license                = package["license"]
  s.author                 = "Meta Platforms, Inc. and its affiliates"
  s.platforms              = min_supported_versions
  s.source                 = source
▼
  s.source_files           = podspec_sources("*.{m}", "")
◆
  s.source_files           = podspec_sources("*.{m,mm}", "*.h")
▲
  s.preserve_paths         = "package.json", "LICENSE", "LICENSE-docs"
  s.header_dir             = "RCTActionSheet"

  s.dependency "React-Core/RCTActionSheetHeaders", version
end
■ stop-condition | typescript | src/agent/default-stop-condition.ts | space 2 | ai
import { logWarnings } from '../logger/log-warnings';
import type { StopCondition } from '../generate-text/stop-condition';

/**
 * Logs the warning for the default stopWhen condition.
 */
export function logDefaultStopConditionWarning({
  stepCount,
  provider,
  modelId,
}: {
  stepCount: number;
  provider: string;
  modelId: string;
}): void {
  logWarnings({
    provider,
    model: modelId,
    warnings: [
      {
        type: 'other',
        message:
          ´The tool loop stopped because it reached the default stopWhen condition, isStepCount(§{stepCount}). ´ +
          'To allow more steps, set stopWhen to isStepCount(...) with a higher limit or provide a custom stop condition. ' +
          'Learn more: https://ai-sdk.dev/docs/agents/loop-control',
      },
    ],
  });
}

/**
 * Stop conditions are only evaluated when the tool loop can otherwise continue,
 * so logging here avoids warning when a call finishes naturally at the limit.
 */
export function createDefaultStopCondition(
  stepCount: number,
): StopCondition<any, any> {
▼
  return ({ steps }) => {
    if (steps.length !== stepCount) {
      return false;
    }

    const { provider, modelId } = steps[steps.length - 1].model;
    logDefaultStopConditionWarning({ stepCount, provider, modelId });

    return true;
◆
  let isLogged = false;
  return ({ steps }) => {
    const last = steps.at(-1);
    if (steps.length !== stepCount || last === undefined) {
      return false;
    }

    if (!isLogged) {
      logDefaultStopConditionWarning({ stepCount, ...last.model });
      isLogged = true;
    }

    return true;
▲
  };
}
■ approval-error | typescript | src/error/tool-call-not-found-for-approval-error.ts | space 2 | ai
import { AISDKError } from '@ai-sdk/provider';

const name = 'AI_ToolCallNotFoundForApprovalError';
const marker = ´vercel.ai.error.§{name}´;
const symbol = Symbol.for(marker);

export class ToolCallNotFoundForApprovalError extends AISDKError {
  private readonly [symbol] = true; // used in isInstance

  readonly toolCallId: string;
  readonly approvalId: string;

▼
  constructor({
    toolCallId,
    approvalId,
  }: {
    toolCallId: string;
    approvalId: string;
  }) {
◆
  constructor({ toolCallId, approvalId, cause }: {
    toolCallId: string;
    approvalId: string;
    cause?: unknown;
  }) {
▲
    super({
      name,
      message: ´Tool call "§{toolCallId}" not found for approval request "§{approvalId}".´,
▼
◆
      cause,
▲
    });

    this.toolCallId = toolCallId;
    this.approvalId = approvalId;
  }

  static isInstance(error: unknown): error is ToolCallNotFoundForApprovalError {
    return AISDKError.hasMarker(error, marker);
  }
}
■ release-workflow | yaml | .github/workflows/release.yml | space 2 | @fastify/ajv-compiler
name: Release the package

on:
  workflow_dispatch:
    inputs:
      semver:
        description: 'Release bump type'
        required: true
        type: choice
▼
        options:
          - patch
          - minor
          - major
◆
        options: [patch, minor, major]
      dry-run:
        description: 'Build without publishing'
        type: boolean
        default: false
▲

permissions: {}

jobs:
  release:
    permissions:
      id-token: write # required for npm provenance via OIDC
      contents: write # required to push the release commit and the tag
    uses: fastify/workflows/.github/workflows/reusable-release.yml@b1a11bce713bc857e52b2231fec3c89071ad3135
    with:
      semver: §{{ inputs.semver }}
▼
◆
      dry-run: §{{ inputs.dry-run }}
▲
■ plugin-workflow | yaml | .github/workflows/ci.yml | space 2 | @fastify/forwarded
name: CI

on:
  push:
▼
    branches:
     - main
     - next
     - 'v*'
◆
    branches: [main, next, 'v*']
▲
    paths-ignore:
      - 'docs/**'
      - '*.md'
  pull_request:
    paths-ignore:
      - 'docs/**'
      - '*.md'

# This allows a subsequently queued workflow run to interrupt previous runs
concurrency:
    group: "§{{ github.workflow }}-§{{ github.event.pull_request.head.label || github.head_ref || github.ref }}"
    cancel-in-progress: true

permissions:
  contents: read

jobs:
  test:
    permissions:
▼
      contents: write
      pull-requests: write
◆
      contents: read
      pull-requests: write
▲
    uses: fastify/workflows/.github/workflows/plugins-ci.yml@ef591e2186785d5ab36b9fe6a79c7ce2f1d94e57 # v7.0.0
    with:
      license-check: true
      lint: true
■ asynchronous-logging | markdown | docs/asynchronous.md | space 2 | pino
# Asynchronous Logging

Asynchronous logging enables the minimum overhead of Pino.
Asynchronous logging works by buffering log messages and writing them in larger chunks.

▼
´´´js
const pino = require('pino')
const logger = pino(pino.destination({
  dest: './my-file', // omit for stdout
  minLength: 4096, // Buffer before writing
  sync: false // Asynchronous logging
}))
´´´

It's always possible to turn on synchronous logging by passing ´sync: true´. 
In this mode of operation, log messages are directly written to the
◆
´´´js
import pino from 'pino'

const logger = pino(pino.destination({
  dest: './my-file',
  minLength: 4096,
  sync: false
}))
´´´

Pass ´sync: true´ to turn on synchronous logging.
In this mode of operation, log messages are directly written to the
▲
output stream as the messages are generated with a _blocking_ operation.

* See [´pino.destination´](/docs/api.md#pino-destination)
* ´pino.destination´ is implemented on [´sonic-boom´ ⇗](https://github.com/mcollina/sonic-boom).

### AWS Lambda

Asynchronous logging in AWS Lambda functions will tend to cause delayed
or lost log messages, as logs may not be written to the destination
before the runtime is frozen.

▼
For Lambda deployments, it's recommended to always use a destination
with ´sync: true´.
◆
For Lambda deployments, use a destination with ´sync: true´:

´´´js
pino.destination({ sync: true })
´´´
▲

## Caveats

Asynchronous logging has a couple of important caveats:

* As opposed to the synchronous mode, there is not a one-to-one relationship between
  calls to logging methods (e.g. ´logger.info´) and writes to a log file
* There is a possibility of the most recently buffered log messages being lost
  in case of a system failure, e.g. a power cut.

### Flush Limitations with ´pino-pretty´
■ core-schema | json | lib/refs/json-schema-2019-09/meta/core.json | space 2 | ajv
{
  "$schema": "https://json-schema.org/draft/2019-09/schema",
  "$id": "https://json-schema.org/draft/2019-09/meta/core",
  "$vocabulary": {
    "https://json-schema.org/draft/2019-09/vocab/core": true
  },
  "$recursiveAnchor": true,

  "title": "Core vocabulary meta-schema",
  "type": ["object", "boolean"],
  "properties": {
    "$id": {
      "type": "string",
      "format": "uri-reference",
      "$comment": "Non-empty fragments not allowed.",
      "pattern": "^[^#]*#?$"
    },
    "$schema": {
      "type": "string",
      "format": "uri"
    },
▼
    "$anchor": {
      "type": "string",
      "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$"
    },
◆
    "$anchor": {
      "type": "string",
      "maxLength": 256,
      "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"
    },
▲
    "$ref": {
      "type": "string",
      "format": "uri-reference"
    },
    "$recursiveRef": {
      "type": "string",
      "format": "uri-reference"
    },
    "$recursiveAnchor": {
      "type": "boolean",
      "default": false
    },
    "$vocabulary": {
      "type": "object",
      "propertyNames": {
        "type": "string",
        "format": "uri"
      },
      "additionalProperties": {
        "type": "boolean"
      }
    },
▼
    "$comment": {
      "type": "string"
    },
◆
    "$comment": {
      "type": "string",
      "maxLength": 4096
    },
▲
    "$defs": {
      "type": "object",
      "additionalProperties": {"$recursiveRef": "#"},
      "default": {}
    }
  }
}
■ docs-page | html | index.html | space 2 | pino
<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <title>Pino - Super fast, all natural JSON logger for Node.js</title>
  <meta name="description" content="Super fast, all natural JSON logger for Node.js">
▼
  <meta name="viewport" content="width=device-width, user-scalable=no, initial-scale=1.0, maximum-scale=1.0, minimum-scale=1.0">
◆
  <meta name="viewport" content="width=device-width, initial-scale=1">
▲
  <link rel="stylesheet" href="//unpkg.com/docsify-themeable/dist/css/theme-simple.css">
  <style>
    :root {
      --base-font-size: 16px;
      --theme-color: rgb(104, 118, 52);
      --link-color:  rgb(104, 118, 52);
      --link-color--hover: rgb(137, 152, 100);
      --sidebar-name-margin: 0;
      --sidebar-name-padding: 0;
      --code-font-size: .9em;
    }
    .sidebar > h1 {
      margin-bottom: -.75em;
      margin-top: .75em;
    }
    .sidebar > h1 img {
      height: 4em;
    }
    .markdown-section a code {
      color: var(--link-color)!important;
    }
    .markdown-section code:not([class*="lang-"]):not([class*="language-"]) {
      white-space: unset
    }
  </style>
  <link rel="icon" type="image/png" sizes="32x32" href="favicon-32x32.png">
  <link rel="icon" type="image/png" sizes="16x16" href="favicon-16x16.png">
</head>
<body>
  <div id="app"></div>
</body>
<script>
  window.$docsify = {
    name: 'pino',
    logo: './pino-tree.png',
    loadSidebar: 'docsify/sidebar.md',
    repo: 'https://github.com/pinojs/pino',
    auto2top: true,
▼
    ga: 'UA-103155139-1'
◆
    ga: 'UA-103155139-1',
    maxLevel: 3,
    subMaxLevel: 2
▲
  }
</script>
<script src="//unpkg.com/docsify/lib/docsify.min.js"></script>
<script src="//unpkg.com/docsify/lib/plugins/search.min.js"></script>
<script src="//unpkg.com/docsify/lib/plugins/ga.min.js"></script>
<!-- To enable syntax highlighting on TypeScript codes: -->
<script src="//cdn.jsdelivr.net/npm/prismjs@1/components/prism-typescript.min.js"></script>

</html>
■ suppress-warnings | javascript | suppress-warnings.cjs | space 2 | vitest
// borrowed from tsx implementation:
// https://github.com/esbuild-kit/tsx

▼
const ignoreWarnings = new Set([
  '--experimental-loader is an experimental feature. This feature could change at any time',
  'Custom ESM Loaders is an experimental feature. This feature could change at any time',
  'Custom ESM Loaders is an experimental feature and might change at any time',
  'VM Modules is an experimental feature and might change at any time',
  'VM Modules is an experimental feature. This feature could change at any time',
  'stripTypeScriptTypes is an experimental feature and might change at any time',
])
◆
const ignoredPatterns = [
  /^Custom ESM Loaders is an experimental feature/,
  /^VM Modules is an experimental feature/,
  /^(--experimental-loader|stripTypeScriptTypes) is an experimental feature/,
]
▲

const { emit } = process

process.emit = function (event, warning) {
▼
  if (event === 'warning' && ignoreWarnings.has(warning.message)) {
◆
  if (event === 'warning' && ignoredPatterns.some(pattern => pattern.test(warning.message))) {
▲
    return
  }

  // oxlint-disable-next-line prefer-rest-params
  return Reflect.apply(emit, this, arguments)
}
■ domain-benchmark | javascript | node_modules/fast-uri/benchmark/non-simple-domain.mjs | space 2 | ajv
import { Bench } from 'tinybench'
import { nonSimpleDomain } from '../lib/utils.js'

const benchNonSimpleDomain = new Bench({ name: 'nonSimpleDomain' })

const exampleCom = 'example.com'
▼
const exaumlmpleCom = 'exämple.com'
◆
const umlautCom = 'exämple.com'
▲
const longDomain = 'abc'.repeat(100) + '.com'

console.assert(nonSimpleDomain(exampleCom) === false, 'example.com should be a simple domain')
▼
console.assert(nonSimpleDomain(exaumlmpleCom) === true, 'exämple.com should not be a simple domain')
◆
console.assert(nonSimpleDomain(umlautCom) === true, 'exämple.com should not be a simple domain')
▲
console.assert(nonSimpleDomain(longDomain) === false, ´§{longDomain} should be a simple domain?´)

benchNonSimpleDomain.add('nonSimpleDomain', function () {
  nonSimpleDomain(exampleCom)
▼
  nonSimpleDomain(exaumlmpleCom)
◆
  nonSimpleDomain(umlautCom)
▲
  nonSimpleDomain(longDomain)
})

await benchNonSimpleDomain.run()
console.log(benchNonSimpleDomain.name)
console.table(benchNonSimpleDomain.table())
■ sampling-profiler | cpp | ReactAndroid/src/main/jni/react/hermes/instrumentation/HermesSamplingProfiler.cpp | space 2 | react-native
#include "HermesSamplingProfiler.h"

#include <hermes/hermes.h>

namespace facebook::jsi::jni {
▼
◆

namespace {

hermes::IHermesRootAPI* rootAPI() {
  return castInterface<hermes::IHermesRootAPI>(hermes::makeHermesRootAPI());
}

} // namespace
▲

void HermesSamplingProfiler::enable(jni::alias_ref<jclass> /*unused*/) {
▼
  auto* hermesAPI =
      castInterface<hermes::IHermesRootAPI>(hermes::makeHermesRootAPI());
  hermesAPI->enableSamplingProfiler();
◆
  rootAPI()->enableSamplingProfiler();
▲
}

void HermesSamplingProfiler::disable(jni::alias_ref<jclass> /*unused*/) {
▼
  auto* hermesAPI =
      castInterface<hermes::IHermesRootAPI>(hermes::makeHermesRootAPI());
  hermesAPI->disableSamplingProfiler();
◆
  rootAPI()->disableSamplingProfiler();
▲
}

void HermesSamplingProfiler::dumpSampledTraceToFile(
    jni::alias_ref<jclass> /*unused*/,
    const std::string& filename) {
▼
  auto* hermesAPI =
      castInterface<hermes::IHermesRootAPI>(hermes::makeHermesRootAPI());
  hermesAPI->dumpSampledTraceToFile(filename);
◆
  rootAPI()->dumpSampledTraceToFile(filename);
▲
}

void HermesSamplingProfiler::registerNatives() {
  javaClassLocal()->registerNatives({
      makeNativeMethod("enable", HermesSamplingProfiler::enable),
      makeNativeMethod("disable", HermesSamplingProfiler::disable),
      makeNativeMethod(
          "dumpSampledTraceToFile",
          HermesSamplingProfiler::dumpSampledTraceToFile),
  });
}

} // namespace facebook::jsi::jni
■ go-cache | go | internal/cache/cache.go | tab 4
package cache

import (
→"sync"
▼
◆
→"time"
▲
)

▼
type Cache struct {
→mu    sync.Mutex
→items map[string]string
}
◆
type entry struct {
→value   string
→expires time.Time
}

type Cache struct {
→mu    sync.RWMutex
→items map[string]entry
}
▲

func New() *Cache {
▼
→return &Cache{items: make(map[string]string)}
◆
→return &Cache{items: make(map[string]entry)}
▲
}

func (c *Cache) Get(key string) (string, bool) {
▼
→c.mu.Lock()
→defer c.mu.Unlock()
→v, ok := c.items[key]
→return v, ok
◆
→c.mu.RLock()
→defer c.mu.RUnlock()
→e, ok := c.items[key]
→if !ok || time.Now().After(e.expires) {
→→return "", false
→}
→return e.value, true
▲
}

func (c *Cache) Delete(key string) {
→c.mu.Lock()
→defer c.mu.Unlock()
→delete(c.items, key)
}
■ rust-queue | rust | src/queue.rs | space 4
use std::collections::VecDeque;

pub struct Queue<T> {
    items: VecDeque<T>,
    limit: usize,
}

impl<T> Queue<T> {
    pub fn new(limit: usize) -> Self {
        Queue { items: VecDeque::new(), limit }
    }

▼
    pub fn push(&mut self, item: T) {
        if self.items.len() == self.limit {
            self.items.pop_front();
        }
        self.items.push_back(item);
    }
◆
    /// Adds an item. Returns the oldest item if the queue was full.
    pub fn push(&mut self, item: T) -> Option<T> {
        let oldest = if self.items.len() == self.limit {
            self.items.pop_front()
        } else {
            None
        };
        self.items.push_back(item);
        oldest
    }
▲

    pub fn pop(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }
}
■ python-config | python | app/config.py | space 4
import json
import os


class Config:
    def __init__(self, path):
        self.path = path
        self.values = {}

    def load(self):
▼
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.values = json.load(file)
◆
        try:
            with open(self.path, encoding="utf-8") as file:
                self.values = json.load(file)
        except FileNotFoundError:
            self.values = {}
▲

    def save(self):
▼
        with open(self.path, "w") as file:
            json.dump(self.values, file)
◆
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.values, file, indent=2)
▲

    def get(self, key, default=None):
        return self.values.get(key, default)

    def set(self, key, value):
        self.values[key] = value
        self.save()
■ python-nested | python | app/walk.py | space 4
def walk(node, visit):
    visit(node)
    for child in node.children:
        if child.is_leaf:
            visit(child)
        else:
            for grandchild in child.children:
▼
                walk(grandchild, visit)
◆
                if grandchild not in visited:
                    visited.add(grandchild)
                    walk(grandchild, visit, visited)
▲


def count(node):
    total = 1
    for child in node.children:
        total += count(child)
    return total
■ python-lookalikes | python | tests/test_api.py | space 4
def test_get(client):
    response = client.get("/items/1")
    assert response.status_code == 200
    assert response.json() == {"id": 1}


def test_get_missing(client):
    response = client.get("/items/2")
▼
    assert response.status_code == 200
◆
    assert response.status_code == 404
    assert response.json() == {"detail": "Not found"}
▲


def test_delete(client):
    response = client.delete("/items/1")
    assert response.status_code == 200
■ sql-migration | sql | migrations/0007_orders.sql | space 2
CREATE TABLE orders (
  id bigint PRIMARY KEY,
▼
  customer text NOT NULL,
  total numeric
);
◆
  customer_id bigint NOT NULL REFERENCES customers (id),
  total_cents bigint NOT NULL CHECK (total_cents >= 0)
);

CREATE INDEX orders_customer_id ON orders (customer_id);
▲

CREATE TABLE order_items (
  order_id bigint REFERENCES orders (id),
  name text NOT NULL
);
■ makefile-tools | makefile | Makefile | tab 8
.PHONY: all clean

all: build

build:
▼
→cc -o tool main.c
◆
→$(CC) $(CFLAGS) -o tool main.c
▲

clean:
▼
→rm tool
◆
→$(RM) tool *.o
▲
■ markdown-guide | markdown | docs/guide.md | space 2
# Guide

## Install

´´´sh
▼
npm install tool
◆
npm install --save-dev tool
▲
´´´

## Configure

Create ´tool.json´:

´´´json
{
▼
  "strict": true
◆
  "strict": true,
  "include": ["src"]
▲
}
´´´

## Run

´´´sh
npx tool
´´´
■ dockerfile-user | dockerfile | Dockerfile | space 4
FROM python:3.13-slim
WORKDIR /app
COPY requirements.txt .
▼
RUN pip install -r requirements.txt
◆
RUN pip install --no-cache-dir -r requirements.txt \
    && useradd --system app
▲
COPY . .
▼
CMD ["python", "main.py"]
◆
USER app
CMD ["python", "-m", "app"]
▲
■ css-theme | css | src/theme.css | space 2
:root {
▼
  --background: #fff;
  --text: #222;
◆
  color-scheme: light dark;
  --background: light-dark(#fff, #1c1c1c);
  --text: light-dark(#222, #ddd);
▲
}

body {
  background: var(--background);
  color: var(--text);
}

.card {
  padding: 1rem;
▼
  border: 1px solid #ccc;
◆
  border: 1px solid color-mix(in srgb, var(--text) 20%, transparent);
▲
}
■ php-service | php | src/Mailer.php | space 4
<?php

namespace App;

final class Mailer
{
▼
    private $transport;

    public function __construct(Transport $transport)
    {
        $this->transport = $transport;
    }
◆
    public function __construct(private readonly Transport $transport)
    {
    }
▲

    public function send(string $to, string $body): void
    {
        $this->transport->deliver($to, $body);
    }
}
■ lua-config | lua | init.lua | tab 4
local opts = {
→number = true,
▼
→tabstop = 8,
◆
→tabstop = 4,
→shiftwidth = 4,
▲
}

for name, value in pairs(opts) do
→vim.opt[name] = value
end
■ tsx-list | typescriptreact | src/List.tsx | space 2
import { useState } from 'react';

interface Item {
  readonly id: string;
  readonly name: string;
}

export function List({ items }: { items: readonly Item[] }) {
  const [query, setQuery] = useState('');
▼
  const shown = items.filter((item) => item.name.includes(query));
◆
  const deferredQuery = useDeferredValue(query);
  const shown = useMemo(
    () => items.filter((item) => item.name.includes(deferredQuery)),
    [items, deferredQuery],
  );
▲

  return (
    <>
      <input value={query} onChange={(event) => setQuery(event.target.value)} />
      <ul>
        {shown.map((item) => (
▼
          <li>{item.name}</li>
◆
          <li key={item.id}>{item.name}</li>
▲
        ))}
      </ul>
    </>
  );
}
■ ts-spread | typescript | src/state.ts | space 2
export interface State {
  readonly count: number;
  readonly log: readonly string[];
}

export function reduce(state: State, action: string): State {
  switch (action) {
    case 'add':
▼
      return { count: state.count + 1, log: state.log };
◆
      return { ...state, count: state.count + 1, log: [...state.log, action] };
▲
    case 'reset':
▼
      return { count: 0, log: [] };
◆
      return { ...state, count: 0 };
▲
    default:
      return state;
  }
}
■ latex-article | latex | paper/main.tex | space 2
\documentclass{article}
▼
\usepackage[latin1]{inputenc}
◆
\usepackage{microtype}
\usepackage{siunitx}
▲

\begin{document}

\section{Setup}
▼
We ran it 5 times for 10 s.
◆
Each run took \SI{10}{\second}. We report the median of five runs.
▲

\section{Results}
See Table~\ref{tab:results}.

\end{document}
■ conflict-docs | markdown | docs/conflicts.md | space 2
# Conflicts

Git marks a conflict like this:

´´´
<<<<<<< HEAD
ours
=======
theirs
>>>>>>> feature
´´´

▼
Edit the file.
◆
Edit the file, remove the three marker lines, and run ´git add´.
▲
`;

/** Unchanged lines, or lines and their replacement. */
export interface FileSegment {
  readonly original: readonly string[];
  readonly right: readonly string[];
  readonly isChange: boolean;
}

/** A file, and the changes to apply to it. */
export interface FreshFile {
  readonly name: string;
  readonly language: string;
  readonly path: string;
  readonly usesTabs: boolean;
  readonly tabSize: number;
  readonly segments: readonly FileSegment[];
}

function toSegments(lines: readonly string[]): FileSegment[] {
  const segments: FileSegment[] = [];
  let [original, right, state]: [string[], string[], string] = [[], [], '▲'];
  const add = (isChange: boolean): void => {
    if (original.length + right.length > 0) segments.push({ original, right, isChange });
    [original, right] = [[], []];
  };
  for (const line of lines) {
    if (line === '▼') add(false);
    if (line === '▲') add(true);
    if (['▼', '◆', '▲'].includes(line)) state = line;
    else {
      if (state !== '◆') original.push(line);
      if (state !== '▼') right.push(line);
    }
  }
  add(false);
  return segments;
}

export const freshFiles: readonly FreshFile[] = parseFixture(source).map(({ lines, ...file }) => ({
  ...file,
  segments: toSegments(lines),
}));
