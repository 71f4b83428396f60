import Foundation

/// What a process holds at this moment, as the kernel counts it (Linux: `/proc`).
package struct ProcessUsage: Sendable {
  /// Resident memory in bytes.
  package var residentBytes: Int
  /// The highest resident memory so far, in bytes.
  package var peakResidentBytes: Int
  package var threadCount: Int
  package var openDescriptorCount: Int
  /// What every open descriptor refers to: a path, or `socket:[…]`, `pipe:[…]`.
  package var openDescriptors: [String]
  /// The kernel's name of every thread.
  package var threadNames: [String]

  /// Reads the counts of this process, or of another one that this user may look at.
  package static func current(processIdentifier: Int32? = nil) throws -> ProcessUsage {
    let folder = "/proc/" + (processIdentifier.map { String($0) } ?? "self")
    let manager = FileManager.default
    let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
    func number(_ name: String) -> Int {
      for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
      }
      return 0
    }
    let descriptors = try manager.contentsOfDirectory(atPath: folder + "/fd")
      .compactMap { try? manager.destinationOfSymbolicLink(atPath: folder + "/fd/" + $0) }
      // The listing itself is open while it is read.
      .filter { !($0.hasPrefix("/proc/") && $0.hasSuffix("/fd")) }
    let threads = try manager.contentsOfDirectory(atPath: folder + "/task").compactMap {
      try? String(contentsOfFile: folder + "/task/" + $0 + "/comm", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
    return ProcessUsage(
      residentBytes: number("VmRSS") * 1024, peakResidentBytes: number("VmHWM") * 1024,
      threadCount: number("Threads"), openDescriptorCount: descriptors.count,
      openDescriptors: descriptors, threadNames: threads)
  }
}
