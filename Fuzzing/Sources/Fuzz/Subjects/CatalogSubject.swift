import Foundation

@testable import Models

/// The list of models: its entries are valid, and each can be found by its name.
enum CatalogSubject {
    static func check(_ bytes: [UInt8]) {
        guard let list = CatalogList(Data(bytes)) else { return }
        let models = list.models
        require(models.count <= 10_000 && list.refusedCount >= 0, "a bounded list")
        require(Set(models.map(\.name)).count == models.count, "a name once")
        for model in models { check(model) }

        let catalog = ModelCatalog(models: models)
        for model in models {
            require(catalog.model(named: model.name) == model, "found by its name")
            require((try? catalog.model(for: model.name)) == model, "asked for by its name")
            if let identifier = model.localeIdentifier {
                require(catalog.models(for: identifier).contains(model), "found by its language")
            }
        }
        // Applying the same update twice has the effect of once.
        for (model, newer) in zip(models, models.dropFirst()) {
            var once = model
            once.update(from: newer)
            var twice = once
            twice.update(from: newer)
            require(once == twice, "an update changes nothing the second time")
            require(once.name == model.name, "an update changes no name")
        }
    }

    private static func check(_ model: CatalogModel) {
        let name = Array(model.name.utf8)
        require(
            !name.contains(UInt8(ascii: "/")) && !name.isEmpty && name.first != UInt8(ascii: "."), "a name for a folder"
        )
        require(name.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a name that can be printed")
        require((model.size ?? 1) > 0 && (model.size != nil || !model.isSizeExact), "a size that can be")
        require(HTTPAddress(model.address) != nil, "an address")
        require(model.checksums.allSatisfy { Checksum($0.algorithm, $0.hexadecimal) == $0 }, "checksums")
        if let identifier = model.localeIdentifier {
            require(
                SpokenLanguage(identifier)?.identifier == identifier,
                "a language that is told and read alike: \(identifier)")
        }
    }
}
