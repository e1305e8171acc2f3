import CALSA
import Glibc

/// A device that is open and set up, ready to be started: what the capture thread needs to know of it.
struct CaptureDevice: ~Copyable {
    var pcm: OpaquePointer
    var calls: capture_calls
    /// Closes `pcm`. Called when the device goes, on the capture thread.
    var close: (OpaquePointer) -> Void
    var encoding: CaptureEncoding
    /// Frames per second, in Hz.
    var sampleRate: Int
    var channelCount: Int
    /// The length of a period, in frames.
    var periodLength: Int
    /// The length of the device's buffer, in frames: the most that can wait to be read.
    var bufferLength: Int
    /// The descriptors that poll(2) waits for.
    var descriptors: [pollfd]
    /// Whether the PCM is a sound card itself, with no ALSA plug-in between.
    var isHardware: Bool

    deinit { close(pcm) }
}

extension CaptureDevice {
    /// Opens a PCM and returns it with the format that it chose.
    ///
    /// - Throws: `CaptureError` if the device can't be opened or set up.
    ///
    /// C: `snd_pcm_open`, `snd_pcm_hw_params`, `snd_pcm_sw_params`
    static func open(_ configuration: CaptureConfiguration) throws(CaptureError) -> CaptureDevice {
        var opened: CaptureDevice?
        let (refusal, messages) = ALSAMessages.collecting { () -> Refusal? in
            do throws(Refusal) { opened = try openUnheard(configuration) } catch { return error }
            return nil
        }
        if let device = opened.take() { return device }
        throw CaptureError(
            opening: configuration.device, result: refusal?.result ?? -ENODEV, messages: messages,
            isOpen: refusal?.isOpen ?? false)
    }

    /// The negative result of an ALSA call.
    struct Refusal: Error {
        var result: Int32
        /// Whether the device could be opened, and refused to be set up.
        var isOpen = true
    }

    private static func check(_ result: Int32) throws(Refusal) {
        if result < 0 { throw Refusal(result: result) }
    }

    private static func openUnheard(_ configuration: CaptureConfiguration) throws(Refusal) -> CaptureDevice {
        var opened: OpaquePointer?
        let result = snd_pcm_open(&opened, configuration.device, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
        guard result >= 0, let pcm = opened else { throw Refusal(result: result < 0 ? result : -ENODEV, isOpen: false) }
        do throws(Refusal) {
            return try setUp(pcm, configuration)
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
    }

    private static func setUp(
        _ pcm: OpaquePointer, _ configuration: CaptureConfiguration
    ) throws(Refusal) -> CaptureDevice {
        var allocated: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&allocated))
        guard let hardware = allocated else { throw Refusal(result: -ENOMEM) }
        defer { snd_pcm_hw_params_free(hardware) }
        try check(snd_pcm_hw_params_any(pcm, hardware))
        try check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))

        let encoding = CaptureEncoding.allCases.first {
            snd_pcm_hw_params_test_format(pcm, hardware, $0.alsaFormat) == 0
        }
        guard let encoding else { throw Refusal(result: -EINVAL) }
        try check(snd_pcm_hw_params_set_format(pcm, hardware, encoding.alsaFormat))
        var channelCount = UInt32(configuration.wantedChannelCount)
        try check(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channelCount))
        var rate = UInt32(configuration.deviceSampleRate)
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil))
        var period = snd_pcm_uframes_t(max(1, Double(rate) * configuration.periodDuration))
        try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil))
        // A longer buffer lets the capture thread be delayed for longer before sound is lost.
        var buffer = snd_pcm_uframes_t(rate)
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer))
        try check(snd_pcm_hw_params(pcm, hardware))

        try setUpWakeUps(pcm, period: period)
        let count = snd_pcm_poll_descriptors_count(pcm)
        try check(count)
        var descriptors = [pollfd](repeating: pollfd(), count: Int(count))
        try check(snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count)))
        return CaptureDevice(
            pcm: pcm, calls: .library, close: { snd_pcm_close($0) }, encoding: encoding, sampleRate: Int(rate),
            channelCount: Int(channelCount), periodLength: Int(period), bufferLength: Int(buffer),
            descriptors: descriptors, isHardware: snd_pcm_type(pcm) == SND_PCM_TYPE_HW)
    }

    /// Sets the device to wake the thread once a period, and to start only on snd_pcm_start.
    ///
    /// C: `snd_pcm_sw_params`
    private static func setUpWakeUps(_ pcm: OpaquePointer, period: snd_pcm_uframes_t) throws(Refusal) {
        var allocated: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&allocated))
        guard let software = allocated else { throw Refusal(result: -ENOMEM) }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software))
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period))
        try check(snd_pcm_sw_params_set_start_threshold(pcm, software, snd_pcm_uframes_t(Int32.max)))
        try check(snd_pcm_sw_params(pcm, software))
    }
}

extension capture_calls {
    /// The functions of ALSA itself.
    static var library: capture_calls {
        capture_calls(
            wait: { _, descriptors, count, milliseconds in
                let result = poll(descriptors, count, milliseconds)
                return result < 0 ? -errno : result
            },
            events: snd_pcm_poll_descriptors_revents,
            read: snd_pcm_readi,
            avail: snd_pcm_avail_update,
            state: snd_pcm_state,
            prepare: snd_pcm_prepare,
            start: snd_pcm_start,
            resume: snd_pcm_resume,
            now: { _ in
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
            },
            wake: { capture_write_wake_up($1) })
    }
}
