/// Whether the configuration file can be understood.
struct ConfigurationCheck {
    /// A command line with what is set, and what there is to say of the settings. Where the file can't be understood, what
    /// the environment sets holds.
    static func complete(
        _ arguments: ParsedArguments, _ environment: [String: String] = Surroundings().environment
    ) -> (ParsedArguments, Finding) {
        let subject = "configuration"
        let path = Settings.path(environment)
        do throws(CommandError) {
            let settings = try Settings.load(environment)
            let completed = settings.completing(arguments)
            if settings.warnings.isEmpty { return (completed, .fine(subject, settings.isThere ? path : "\(path), which is not there")) }
            return (completed, .lacking(subject, settings.warnings.joined(separator: "; "), [Surroundings.edit(path)]))
        } catch {
            let finding = Finding.broken(subject, error.message, [Surroundings.edit(path)])
            do throws(CommandError) {
                return (try Settings(path: path, file: nil, environment).completing(arguments), finding)
            } catch {
                return (arguments, finding)
            }
        }
    }
}
