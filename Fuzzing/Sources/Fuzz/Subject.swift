import Glibc

/// The code to fuzz: a reader of untrusted bytes, with the properties of its results.
enum Subject: String, CaseIterable {
    case wav
    case operation
    case capture
    case journal
    case result
    case catalog
    case answer
    case archive
    case text
    case keys
    case worker

    /// The subject that the environment names; the processes that libFuzzer starts to merge or minimize inherit it.
    static let chosen = getenv("UTTER_FUZZ_SUBJECT").flatMap { Subject(rawValue: String(cString: $0)) }

    /// Whether inputs are JSON, or lines of JSON.
    var isJSON: Bool {
        switch self {
        case .operation, .capture, .journal, .result, .catalog: true
        case .wav, .answer, .archive, .text, .keys, .worker: false
        }
    }

    /// Reads the bytes and checks the properties with `require`.
    func check(_ bytes: [UInt8]) {
        switch self {
        case .wav: WAVSubject.check(bytes)
        case .operation: OperationSubject.check(bytes)
        case .capture: CaptureSubject.check(bytes)
        case .journal: JournalSubject.check(bytes)
        case .result: ResultSubject.check(bytes)
        case .catalog: CatalogSubject.check(bytes)
        case .answer: AnswerSubject.check(bytes)
        case .archive: ArchiveSubject.check(bytes)
        case .text: TextSubject.check(bytes)
        case .keys: KeysSubject.check(bytes)
        case .worker: WorkerSubject.check(bytes)
        }
    }
}

/// Whether two texts have the same bytes. `==` treats canonically equivalent texts as equal.
func isSame(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
    case (nil, nil): true
    default: false
    }
}
