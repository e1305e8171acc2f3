import Models

extension SileroWeights {
    /// The weights that come along, which are read once.
    static let shared: Result<SileroWeights, SpeechError> = {
        guard let path = ModelStore.detectorWeights else {
            return .failure(
                SpeechError(.modelIncomplete, "the weights of the detector of speech are missing; install utter again"))
        }
        do throws(SpeechError) { return .success(try SileroWeights(path: path)) } catch { return .failure(error) }
    }()
}
