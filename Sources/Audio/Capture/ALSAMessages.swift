import CALSA
import Glibc
import Synchronization

/// The messages that ALSA would have written to stderr, which explain why a call failed.
enum ALSAMessages {
    private final class Collection {
        var messages: [String] = []
    }

    private static let key: pthread_key_t = {
        var key: pthread_key_t = 0
        pthread_key_create(&key, nil)
        return key
    }()

    /// Calls `body`, and returns its result together with the messages that ALSA logged on this thread meanwhile.
    ///
    /// C: `snd_lib_error_set_local`
    static func collecting<Value>(_ body: () -> Value) -> (value: Value, messages: [String]) {
        let collection = Collection()
        pthread_setspecific(key, Unmanaged.passUnretained(collection).toOpaque())
        let previous = snd_lib_error_set_local { _, _, _, _, format, arguments in
            guard let place = pthread_getspecific(ALSAMessages.key), let format, let arguments else { return }
            let collection = Unmanaged<Collection>.fromOpaque(place).takeUnretainedValue()
            var text = [CChar](repeating: 0, count: 512)
            vsnprintf(&text, text.count, format, arguments)
            let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            collection.messages.append(words.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
        defer {
            snd_lib_error_set_local(previous)
            pthread_setspecific(key, nil)
        }
        return withExtendedLifetime(collection) { (body(), collection.messages) }
    }

    /// Discards every later message of ALSA on this thread: the capture thread may not allocate memory for one.
    ///
    /// C: `snd_lib_error_set_local`
    static func silence() {
        snd_lib_error_set_local { _, _, _, _, _, _ in }
    }
}
