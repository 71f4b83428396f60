internal import CFFmpeg

/// What a libav call returned, which call it was, and what libav logged while it ran.
package struct AVError: Error, Sendable, Hashable {
  /// A negative `AVERROR`.
  package let code: Int32
  /// The C function that returned it.
  package let function: String
  /// The last error line logged on this thread during the call.
  package let log: String?

  package init(code: Int32, function: String, log: String? = nil) {
    self.code = code
    self.function = function
    self.log = log
  }

  package var isEndOfFile: Bool { code == cff_ERROR_EOF }
  package var isInterruption: Bool { code == cff_ERROR_EXIT }
  package var isInvalidData: Bool { code == cff_ERROR_INVALIDDATA }
  package var isPatchWelcome: Bool { code == cff_ERROR_PATCHWELCOME }
  package var isDecoderMissing: Bool { code == cff_ERROR_DECODER_NOT_FOUND }
  package var isEncoderMissing: Bool { code == cff_ERROR_ENCODER_NOT_FOUND }
  package var isOutOfMemory: Bool { code == -ENOMEM }
  package var isInvalidArgument: Bool { code == -EINVAL }

  /// libav's text for the code.
  package var message: String {
    var buffer = [CChar](repeating: 0, count: 128)
    _ = unsafe buffer.withUnsafeMutableBufferPointer {
      unsafe av_strerror(code, $0.baseAddress, $0.count)
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func outOfMemory(_ function: String) -> AVError {
    AVError(code: cff_error(ENOMEM), function: function)
  }
}

/// Turns a negative result into an error that carries the call's name and log line.
@discardableResult
func check(_ result: Int32, _ function: String) throws(AVError) -> Int32 {
  guard result < 0 else { return result }
  throw AVError(code: result, function: function, log: Log.lastErrorLine())
}
