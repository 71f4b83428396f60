internal import CFFmpeg
import Synchronization

/// The flag behind `AVIOInterruptCB`: raised by a cancelled caller, read by libav and by readers.
package final class Interrupt: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}
  package func raise() { flag.store(true, ordering: .relaxed) }
  package func reset() { flag.store(false, ordering: .relaxed) }
  package var isRaised: Bool { flag.load(ordering: .relaxed) }

  /// libav's view of this flag; valid as long as the owner of the context keeps the object.
  var callback: AVIOInterruptCB {
    unsafe AVIOInterruptCB(
      callback: { opaque in
        guard let opaque = unsafe opaque else { return 0 }
        return unsafe Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
