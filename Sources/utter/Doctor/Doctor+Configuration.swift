extension Doctor {
    /// The command line with the settings added, and the finding about them: whether the configuration file can be read. If it is not
    /// valid, only the settings in the environment are added.
    static func complete(_ arguments: ParsedArguments) -> (ParsedArguments, Finding) {
        let environment = Surroundings().environment
        let subject = "configuration"
        let path = Settings.path(environment)
        do throws(CommandError) {
            let settings = try Settings.load(environment)
            let completed = settings.completing(arguments)
            if settings.warnings.isEmpty {
                return (completed, .fine(subject, settings.isThere ? path : "\(path), which is not there"))
            }
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
