import Foundation
import Synchronization

/// One command from start to end, on the thread that calls: both outputs are read as they come, so
/// that neither pipe can fill up and stop the command.
struct ChildProcess {
  var executable: String
  var arguments: [String]
  var environment: [String: String]
  var directory: String?
  var standardInput: String
  var deadline: Duration

  /// Held from the making of the pipes until the command runs: one that starts in between would
  /// inherit the ends of another's pipes, whose end of file would then not come.
  private static let starting = Mutex(())

  struct Ending {
    var status: Int32
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var passedDeadline = false
    var wasCancelled = false
  }

  /// Runs to the end, to the deadline, or until `isCancelled` says so; a command that has to be
  /// stopped takes its whole process group with it.
  func run(isCancelled: () -> Bool) throws -> Ending {
    let (output, errors, child) = try ChildProcess.starting.withLock { _ in
      let output = try Pipe()
      let errors = try Pipe()
      defer {
        close(output.writing)
        close(errors.writing)
      }
      do {
        return (output, errors, try spawn(output: output.writing, errors: errors.writing))
      } catch {
        close(output.reading)
        close(errors.reading)
        throw error
      }
    }
    defer {
      close(output.reading)
      close(errors.reading)
    }

    var ending = Ending(status: -1)
    let clock = ContinuousClock()
    let start = clock.now
    var exited: ContinuousClock.Instant?
    var open = [true, true]
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while open[0] || open[1] || exited == nil {
      if exited == nil {
        var status: Int32 = 0
        if waitpid(child, &status, WNOHANG) == child {
          exited = clock.now
          // Either the exit status, or 128 + the signal as shells say it.
          ending.status = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        } else if isCancelled() || clock.now - start > deadline {
          ending.wasCancelled = isCancelled()
          ending.passedDeadline = !ending.wasCancelled
          kill(-child, SIGKILL)
          kill(child, SIGKILL)
          waitpid(child, &status, 0)
          ending.status = 128 + SIGKILL
          break
        }
      } else if let exited, clock.now - exited > .seconds(1) {
        // Something that it left in the background still holds the pipes.
        kill(-child, SIGKILL)
        break
      }
      var polled = [
        pollfd(fd: open[0] ? output.reading : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: open[1] ? errors.reading : -1, events: Int16(POLLIN), revents: 0),
      ]
      let limit: Int32 = open[0] || open[1] ? 20 : 2
      guard poll(&polled, 2, limit) > 0 else { continue }
      for index in 0..<2 where polled[index].revents != 0 {
        let count = read(polled[index].fd, &chunk, chunk.count)
        if count > 0 {
          if index == 0 {
            ending.output += chunk[..<count]
          } else {
            ending.errors += chunk[..<count]
          }
        } else if count == 0 || errno != EINTR {
          open[index] = false
        }
      }
    }
    return ending
  }

  private func spawn(output: Int32, errors: Int32) throws -> pid_t {
    #if os(Linux)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, standardInput, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // A group of its own, so that what it starts can be ended with it.
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // Not every C library can change the folder of what it spawns: env does.
    let command = directory.map { ["/usr/bin/env", "-C", $0, executable] } ?? [executable]
    var words: [UnsafeMutablePointer<CChar>?] = (command + arguments).map { strdup($0) }
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0 + "=" + $1) }
    words.append(nil)
    variables.append(nil)
    defer { for word in words + variables { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, command[0], &actions, &attributes, words, variables)
    guard code == 0 else { throw MediaToolError.couldNotStart(executable, code: code) }
    return child
  }
}

private struct Pipe {
  var reading: Int32
  var writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw MediaToolError.couldNotStart("a pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}
